export default function Cart() {
  const item = /* broken */ {} /* fixed: { price: { amount: 3 } } */;
  return <button onClick={() => (document.title = item.price.amount)}>Add to cart</button>;
}
