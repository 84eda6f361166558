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

const check = makeCheck(100);
let limit = 100;

const bugs: Record<string, () => unknown> = {
  property: () => sum(stock),
  closure: () => {
    limit = 500;
    check({ total: limit - 20 });
  },
  race: () => Promise.all([show(1, 9), show(2, 1)]),
  argument: () => wait("12 s"),
  chain: () => load(7, 0).then((answer) => answer.rows!.length),
  fence: () => last(["Ann", "Bob"]),
  settings: () => settings(" {'theme': 'dark'} "),
  date: () => dayOf("next Tuesday"),
  secret: () => login("hunter2-correct-horse"),
};

document.addEventListener("click", (event) => {
  const chosen = (event.target as HTMLElement).dataset.item;
  stock.find((item) => item.name === chosen)!.name.trim();
});

Object.assign(globalThis, { bugs });
