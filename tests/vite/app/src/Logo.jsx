export default function Logo() {
  return <img alt="" src={/* broken */ "/missing.png" /* fixed: "/logo.svg" */} />;
}
