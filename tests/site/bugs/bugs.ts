// Bugs whose decisive value only the variables tell. Each runs by its name: `bugs.race()`.
type Item = { name: string; price?: { amount: number } };
type Order = { total: number };
type Answer = { id: number; rows: string[] | null };

const stock: Item[] = [{ name: "Hose", price: { amount: 42 } }, { name: "Pump" }];

function sum(items: Item[]): number {
  let total = 0;
  for (const item of items) {
    total += item.price!.amount;
  }
  return total;
}

function makeCheck(limit: number): (order: Order) => void {
  return (order) => {
    if (order.total > limit) throw new Error(`limit: over by ${order.total - limit}`);
  };
}

function wait(delay: unknown): number {
  if (typeof delay !== "number") throw new TypeError("delay: not a number");
  return delay * 1000;
}

async function load(id: number, ticks: number): Promise<Answer> {
  for (let tick = 0; tick < ticks; tick += 1) await null;
  return { id, rows: null };
}

let latest = 0;

async function show(id: number, ticks: number): Promise<void> {
  latest = id;
  const answer = await load(id, ticks);
  const expected = latest;
  if (answer.id !== expected) throw new Error(`race: ${answer.id - expected}`);
}

function last(names: string[]): string {
  const index = names.length;
  return names[index].toUpperCase();
}

function settings(text: string): unknown {
  const trimmed = text.trim();
  return JSON.parse(trimmed);
}

function dayOf(when: string): string {
  const date = new Date(when);
  return date.toISOString();
}

function login(password: string): number {
  const apiKey = password.slice(1);
  return (null as unknown as { check(key: string): number }).check(apiKey);
}

function dearest(prices: number[]): number {
  const known = prices.filter((price) => price > 0);
  return known.reduce((most, price) => Math.max(most, price)) + known.length;
}

function discount(rate: number, total: number): number {
  if (total > 0) {
    const rate = total / 0;
    if (rate > 1) throw new RangeError(`discount: ${total} by ${rate}`);
  }
  return rate * total;
}

function remind(names: string[]): void {
  for (var index = 0; index < names.length; index += 1) {
    setTimeout(() => names[index].trimEnd());
  }
}

function open(options: { width?: number } | null = {}): number {
  return options!.width! + 1;
}

function pathTo(parents: Record<string, string>, start: string): string[] {
  const path = [start];
  while (parents[path[path.length - 1]]) {
    const next = parents[path[path.length - 1]];
    if (path.includes(next)) throw new Error("parents: a cycle");
    path.push(next);
  }
  return path;
}

function priceOf(prices: Map<string | number, number>, key: string | number): string {
  const price = prices.get(key);
  return price!.toFixed(key.toString().length) + price;
}

function settle(parts: number[], expected: number): void {
  const sum = parts.reduce((before, part) => before + part, 0);
  if (sum !== expected) throw new Error(`settle: ${sum} is not right`);
}

class Basket {
  readonly items: string[] = [];
  owner: { name: string } | null = null;

  label(): string {
    return `${this.owner!.name}: ${this.items.length}`;
  }
}

function parcel(text: string): string {
  const parts = text.split("-");
  return parts[3].padEnd(parts.length);
}

const check = makeCheck(100);
let limit = 100;

const bugs: Record<string, () => unknown> = {
  property: () => sum(stock),
  closure: () => {
    limit = 500;
    check({ total: limit - 20 });
  },
  race: () => Promise.all([show(1, 9), show(2, 1)]),
  // The second call is what a bundler cannot foresee.
  argument: () => wait(wait(2) > 1 ? "12 s" : 1),
  chain: () => load(7, 0).then((answer) => answer.rows!.length),
  fence: () => last(["Ann", "Bob"]),
  settings: () => settings(" {'theme': 'dark'} "),
  date: () => dayOf("next Tuesday"),
  reduce: () => dearest([0, -3]),
  shadow: () => discount(0.5, 80),
  timer: () => remind(["Ann", "Bob"]),
  options: () => open(null),
  cycle: () => pathTo({ a: "b", b: "c", c: "a" }, "a"),
  key: () => priceOf(new Map([["7", 42]]), 7),
  float: () => settle([0.1, 0.2], 0.3),
  member: () => new Basket().label(),
  worker: () => new Worker(`${location.pathname}app.js?worker`).postMessage("a-b-c"),
  secret: () => login("hunter2-correct-horse"),
};

if (typeof document === "object") {
  document.addEventListener("click", (event) => {
    const chosen = (event.target as HTMLElement).dataset.item;
    stock.find((item) => item.name === chosen)!.name.trim();
  });
  // What the page around a frame asks for.
  addEventListener("message", ({ data }) => {
    const wanted = JSON.parse(data) as { name?: string };
    bugs[wanted.name!]();
  });
} else {
  addEventListener("message", ({ data }) => {
    const text = data as string;
    parcel(text);
  });
}

Object.assign(globalThis, { bugs });
