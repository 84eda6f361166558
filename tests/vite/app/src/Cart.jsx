export default function Cart() {
  const item = /* broken */ {} /* fixed: { price: { amount: 3 } } */;
  return (
    <button data-cart={/* broken */ "broken" /* fixed: "mended" */} onClick={() => (document.title = item.price.amount)}>
      Add to cart
    </button>
  );
}
