export default function Save() {
  const body = /* broken */ "" /* fixed: "order" */;
  return (
    <button data-save={/* broken */ "broken" /* fixed: "mended" */} onClick={() => fetch("/api/save", { method: "POST", body })}>
      Save
    </button>
  );
}
