import { it as registerCase, TestRunner } from 'vitest';
import type { TestAPI } from 'vitest';

let isSelection = false;
/** The number of cases that each group had so far. */
const seen = new WeakMap<object, number>();

/** A selection has this many cases of each group, and those whose titles are about concurrency. */
const FIRST_CASES = 2;
const CONCURRENT = /concurrent|at the same time|beside|come together|meanwhile|two processes/;

/** From now on, only a selection of the cases of this file is registered. */
export function selectCases(): void {
  isSelection = true;
}

/** Vitest's `it` for a case that belongs to every selection: no other selected case calls its operation of the storage. */
export { it as itAlways } from 'vitest';

/** Vitest's `it` for the cases of the contract. It does not register those that are not selected. */
export const it: TestAPI = new Proxy(registerCase, {
  apply: (target, self, values: unknown[]) => {
    if (isChosen(values[0])) Reflect.apply(target, self, values);
  },
  get(target, name, receiver) {
    const member: unknown = Reflect.get(target, name, receiver);
    if ((name !== 'each' && name !== 'for') || typeof member !== 'function') return member;
    return (...table: unknown[]) => {
      const register = Reflect.apply(member, target, table) as (...values: unknown[]) => void; // as `it`
      return (...values: unknown[]) => {
        if (isChosen(values[0])) register(...values);
      };
    };
  },
});

function isChosen(title: unknown): boolean {
  const group = TestRunner.getCurrentSuite();
  const before = seen.get(group) ?? 0;
  seen.set(group, before + 1);
  return !isSelection || before < FIRST_CASES || CONCURRENT.test(String(title));
}
