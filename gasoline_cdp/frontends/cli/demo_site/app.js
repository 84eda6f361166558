// The shop's own script. It is an honest little program with six real faults in it;
// each is marked BROKEN, with what you will see of it from outside.
//
// The page makes its own mistakes: tour(), at the end, presses the buttons that a visitor would press.

const byId = (id) => document.getElementById(id);
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });

const COUPONS = { SPRING10: { percent: 10 }, GARAGE20: { percent: 20 } };

const catalogue = new Map();
const cart = {
  quantities: new Map([["PSP-104", 1], ["PSP-118", 2]]),
  discount: undefined, // set by the first coupon
};

// ---------------------------------------------------------------- products and cart: these work

async function loadProducts() {
  const response = await fetch("/api/products");
  const products = await response.json();
  for (const product of products) catalogue.set(product.sku, product);
  byId("products").replaceChildren(...products.map(productCard));
  renderCart();
}

function productCard(product) {
  const button = element("button", { className: "button quiet", type: "button", textContent: "Add" });
  button.setAttribute("aria-label", `Add ${product.name} to the cart`);
  button.addEventListener("click", () => addToCart(product.sku));

  const card = element("li", { className: "card" });
  const buy = element("div", { className: "buy" });
  buy.append(element("strong", { textContent: dollars.format(product.price) }), button);
  card.append(
    drawing(product.art),
    element("h3", { textContent: product.name }),
    element("p", { className: "small", textContent: product.fits }),
    buy,
  );
  return card;
}

function addToCart(sku) {
  cart.quantities.set(sku, (cart.quantities.get(sku) ?? 0) + 1);
  renderCart();
}

function renderCart() {
  let count = 0;
  let total = 0;
  const lines = [];
  for (const [sku, quantity] of cart.quantities) {
    const { name, price } = catalogue.get(sku);
    count += quantity;
    total += quantity * price;
    const line = element("li");
    line.append(
      element("span", { textContent: `${quantity} × ${name}` }),
      element("span", { className: "amount", textContent: dollars.format(quantity * price) }),
    );
    lines.push(line);
  }
  if (cart.discount) total *= 1 - cart.discount.percent / 100;
  byId("cart-lines").replaceChildren(...lines);
  byId("cart-count").textContent = count;
  byId("cart-total").textContent = dollars.format(total);
}

// ---------------------------------------------------------------- the missing picture

function showHeroImage() {
  const image = byId("hero-image");
  const settled = new Promise((resolve) => {
    image.addEventListener("load", resolve, { once: true });
    image.addEventListener("error", resolve, { once: true });
  });
  // BROKEN: the file is not on the server. Seen from outside: GET /img/hero-missing.png, 404.
  image.src = "/img/hero-missing.png";
  return settled;
}

// ---------------------------------------------------------------- the live prices

function startPumpDisplay(options) {
  let digits = options.digits ?? 2;
  if ("decimals" in options) {
    console.warn("startPumpDisplay: the option 'decimals' is deprecated and ends with 5.0. Use 'digits'.");
    digits = options.decimals;
  }
  const rows = new Map();
  let updates = 0;
  let pingSent = 0;
  let roundTrip = "";

  const url = new URL("/live", location.href);
  url.protocol = "ws:";
  const socket = new WebSocket(url);

  const ping = () => {
    pingSent = performance.now();
    socket.send(JSON.stringify({ type: "ping" }));
  };
  let pings;
  socket.addEventListener("open", () => {
    showPumpState("live");
    ping();
    pings = setInterval(ping, 5000);
  });
  socket.addEventListener("close", () => {
    clearInterval(pings);
    showPumpState("offline");
  });
  socket.addEventListener("message", (event) => {
    const message = JSON.parse(event.data);
    if (message.type === "pong") {
      roundTrip = ` · ${Math.max(1, Math.round(performance.now() - pingSent))} ms away`;
    } else {
      updates += 1;
      showPrice(rows, message, digits);
    }
    const count = updates === 1 ? "1 update" : `${updates} updates`;
    byId("pump-note").textContent = `Dollars a gallon · ${count}${roundTrip}`;
  });
}

function showPumpState(state) {
  byId("pump-state").textContent = state;
  byId("pump-state").dataset.state = state;
}

function showPrice(rows, { grade, price, change }, digits) {
  if (!rows.has(grade)) {
    const row = element("div");
    row.append(element("dt", { textContent: grade }), element("dd"));
    rows.set(grade, row);
    byId("grades").append(row);
  }
  const direction = change < 0 ? "down" : "up";
  const value = rows.get(grade).lastElementChild;
  const moved = element("span", { className: direction, textContent: Math.abs(change).toFixed(digits) });
  value.replaceChildren(element("span", { className: "digits", textContent: price.toFixed(digits) }), moved);
}

// ---------------------------------------------------------------- the slow request

async function loadRecommendations() {
  // BROKEN: the server takes 1.2 seconds. Seen from outside: a slow GET /api/recommendations, 200.
  const response = await fetch("/api/recommendations");
  const products = await response.json();
  const list = byId("recommendations");
  list.replaceChildren(...products.map((product) => {
    const tip = element("li", { className: "tip" });
    const words = element("div");
    words.append(
      element("h3", { textContent: product.name }),
      element("p", { className: "small", textContent: dollars.format(product.price) }),
    );
    tip.append(drawing(product.art), words);
    return tip;
  }));
  list.removeAttribute("aria-busy");
}

// ---------------------------------------------------------------- the checkout that the server refuses

const checkouts = [];

async function checkout() {
  const button = byId("checkout-button");
  const notice = byId("checkout-notice");
  button.disabled = true;
  notice.textContent = "";

  // BROKEN: the server cannot reach its stock. Seen from outside: POST /api/checkout, 500.
  const response = await fetch("/api/checkout", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ items: Object.fromEntries(cart.quantities), coupon: byId("coupon").value }),
  });
  if (!response.ok) {
    const problem = await response.json();
    console.error(`Checkout failed: ${problem.message}`, problem);
    notice.textContent = "We could not place your order. Please try again in a minute.";
  }
  button.disabled = false;
}

// ---------------------------------------------------------------- the coupon that throws

function applyCoupon() {
  const coupon = COUPONS[byId("coupon").value.trim().toUpperCase()];
  if (!coupon) return;
  // BROKEN: a cart has no discount before its first coupon, so that there never is a first one.
  // Seen from outside: an uncaught TypeError, and a button that does nothing.
  if (coupon.percent > cart.discount.percent) {
    cart.discount = coupon;
    renderCart();
  }
}

// ---------------------------------------------------------------- the reviews that nobody waits for

async function loadReviews(sku) {
  const review = byId("review");
  review.textContent = "Loading reviews…";
  const { reviews_feed: feed } = catalogue.get(sku);
  // BROKEN: no product names a feed, and the caller below does not catch this.
  // Seen from outside: an unhandled promise rejection, and "Loading reviews…" for ever.
  if (!feed) throw new Error(`Reviews are unavailable: ${sku} has no review feed`);
  const response = await fetch(feed);
  review.textContent = await response.text();
}

// ---------------------------------------------------------------- small tools

function element(name, properties = {}) {
  return Object.assign(document.createElement(name), properties);
}

function drawing(art) {
  const namespace = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(namespace, "svg");
  svg.setAttribute("viewBox", "0 0 120 96");
  svg.setAttribute("class", "art");
  svg.setAttribute("aria-hidden", "true");
  svg.append(document.createElementNS(namespace, "use"));
  svg.firstChild.setAttribute("href", `#art-${art}`);
  return svg;
}

// ---------------------------------------------------------------- the tour

byId("checkout-button").addEventListener("click", () => checkouts.push(checkout()));
byId("coupon-button").addEventListener("click", applyCoupon);
byId("reviews-button").addEventListener("click", () => {
  loadReviews("PSP-104");
});

async function tour() {
  console.log("Pump Street Parts 4.2.0 is opening");
  await loadProducts();

  await pause(250);
  const picture = showHeroImage();

  await pause(250);
  startPumpDisplay({ decimals: 3 }); // BROKEN: an option of the past. Seen from outside: a console warning.

  await pause(200);
  const recommendations = loadRecommendations();

  await pause(300);
  byId("checkout-button").click();

  await pause(400);
  byId("coupon-button").click();

  await pause(350);
  byId("reviews-button").click();

  // The last pause lets the browser report the rejection before the page says that all has happened.
  await Promise.all([picture, recommendations, ...checkouts]);
  await pause(100);
  document.documentElement.dataset.demo = "done";
}

tour();
