import { seededRandom } from '@trunkline/core/testing';

/** Random choices that the seed and the order of calls determine. */
export interface Choices {
  /** Returns a number from 0 to just below 1. */
  fraction(): number;
  between(least: number, most: number): number;
  chance(probability: number): boolean;
  of<Item>(items: readonly Item[]): Item;
  /** Returns choices for a concurrent caller, which do not depend on the calls made here. */
  apart(name: number): Choices;
}

export function choices(seed: number): Choices {
  const random = seededRandom(seed);
  const fraction = (): number => {
    const [a = 0, b = 0, c = 0] = random.bytes(3);
    return ((a << 16) | (b << 8) | c) / 2 ** 24;
  };
  return {
    fraction,
    between: (least, most) => least + Math.floor(fraction() * (most - least + 1)),
    chance: (probability) => fraction() < probability,
    of(items) {
      const [item] = items.slice(Math.floor(fraction() * items.length));
      if (item === undefined) throw new Error('There is nothing to choose from.');
      return item;
    },
    apart: (name) => choices(seed * 1_000 + name),
  };
}
