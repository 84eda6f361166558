export default function Save() {
  const body = /* broken */ "" /* fixed: "order" */;
  return <button onClick={() => fetch("/api/save", { method: "POST", body })}>Save</button>;
}
