import { useEffect } from "react";

document.documentElement.dataset.reports = /* broken */ "broken" /* fixed: "mended" */;

export default function Reports() {
  const canvas = /* broken */ null /* fixed: { width: 8 } */;
  useEffect(() => {
    const timer = setTimeout(() => (document.title = canvas.width), 120);
    return () => clearTimeout(timer);
  }, [canvas]);
  return <h1>Reports</h1>;
}
