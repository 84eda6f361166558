// Bugs whose variables tell what is wrong.
class Cart {
  constructor() {
    this.items = [{ name: "Hose", price: 42 }, { name: "Pump", price: 42 }];
  }

  apply(coupon) {
    const total = this.items.reduce((sum, item) => sum + item.price, 0);
    return total * (1 - coupon.percent / 100);
  }
}

const cart = new Cart();
const session = { user: "ann", password: "hunter2-secret-value" };

window.checkout = (code) => {
  const coupons = { SPRING: { percent: 10 } };
  const coupon = coupons[code];
  const apiKey = session.password;
  return cart.apply(coupon) + apiKey.length;
};

window.loadOrder = async (id) => {
  const answer = await Promise.resolve({ status: "gone", id });
  if (answer.status !== "ok") throw new Error(`No order ${id}`);
};

// As frameworks do: catch what a handler throws, then report it.
window.handled = (code) => {
  try {
    window.checkout(code);
  } catch (error) {
    reportError(error);
  }
};
window.logged = (code) => {
  try {
    window.checkout(code);
  } catch (error) {
    console.error("The handler failed:", error);
  }
};
window.tried = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};
window.often = (times) => {
  for (let index = 0; index < times; index += 1) {
    try {
      throw new Error(`number ${index}`);
    } catch {
      window.last = index;
    }
  }
};
window.counting = (times) => {
  for (let index = 0; index < times; index += 1) {
    window.counted = index;
  }
};
const stock = { pear: { gross: 120 } };
window.priceOf = (amount) => {
  const price = stock.apple.gross * amount;
  return price;
};

window.leak = () => session.nothing.password;
