export default function Logo() {
  return <img alt="" data-logo={/* broken */ "broken" /* fixed: "mended" */} src={/* broken */ "/missing.png" /* fixed: "/logo.svg" */} />;
}
