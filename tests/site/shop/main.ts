import { Cart } from "./cart";

function applyCoupon(cart: Cart): number {
  return cart.add({ name: "coupon", price: -1 }).total();
}

function warnOfCoupon(cart: Cart): void {
  try {
    applyCoupon(cart);
  } catch (error) {
    console.warn("no coupon", error);
  }
}

function checkOut(): void {
  console.error("shop is closing");
  warnOfCoupon(new Cart());
  applyCoupon(new Cart());
}

setTimeout(checkOut);
