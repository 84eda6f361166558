export interface Item {
  name: string;
  price: number;
}

export class Cart {
  private items: Item[] = [];

  add(item: Item): this {
    this.items.push(item);
    return this;
  }

  total(): number {
    return sumPrices(this.items);
  }
}

function sumPrices(items: Item[]): number {
  return items.reduce((sum, item) => sum + priceOf(item), 0);
}

const priceOf = (item: Item): number => {
  if (item.price < 0) {
    throw new RangeError(`negative price: ${item.name}`);
  }
  return item.price;
};
