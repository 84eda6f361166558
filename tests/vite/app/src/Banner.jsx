import { useEffect } from "react";

export default function Banner() {
  const campaign = /* broken */ "" /* fixed: "spring" */;
  useEffect(() => {
    if (!campaign) console.error("banner has no campaign");
  }, [campaign]);
  return <p data-banner={/* broken */ "broken" /* fixed: "mended" */}>{campaign}</p>;
}
