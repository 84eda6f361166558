import { useEffect } from "react";

export default function Feed() {
  const query = /* broken */ "" /* fixed: "?topic=all" */;
  useEffect(() => {
    const socket = new WebSocket(`ws://${location.host}/feed${query}`);
    return () => socket.close();
  }, [query]);
  return <i data-feed={/* broken */ "broken" /* fixed: "mended" */} />;
}
