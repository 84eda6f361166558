export default function Prices() {
  const load = async () => {
    const answer = await (await fetch("/api/prices")).json();
    const prices = answer./* broken */ items /* fixed: prices */;
    document.title = prices.join();
  };
  return (
    <button data-prices={/* broken */ "broken" /* fixed: "mended" */} onClick={load}>
      Load prices
    </button>
  );
}
