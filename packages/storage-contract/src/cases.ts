import { it as registerCase, TestRunner } from 'vitest';
import type { TestAPI } from 'vitest';

/**
 * The cases that a file runs. A selection runs the first two cases of each group, and all cases about concurrency. A
 * sample runs the first case of each group, and no random steps.
 */
export type Cases = 'all' | 'selection' | 'sample';

let cases: Cases = 'all';
const seen = new WeakMap<object, number>();

const CONCURRENT = /concurrent|at the same time|beside|come together|meanwhile|two processes/;

/** From now on, registers only these cases of the test file. */
export function selectCases(chosen: Cases): void {
  cases = chosen;
}

/** Vitest's `it` for a case that is always registered, because no other case of a selection calls its operation. */
export { it as itAlways } from 'vitest';

/** Vitest's `it` for the cases of the contract, which registers only the selected cases. */
export const it: TestAPI = new Proxy(registerCase, {
  apply: (target, self, values: unknown[]) => {
    if (isChosen(values[0])) Reflect.apply(target, self, values);
  },
  get(target, name, receiver) {
    const member: unknown = Reflect.get(target, name, receiver);
    if ((name !== 'each' && name !== 'for') || typeof member !== 'function') return member;
    return (...table: unknown[]) => {
      const register = Reflect.apply(member, target, table) as (...values: unknown[]) => void; // called like `it`
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
  if (cases === 'all') return true;
  return cases === 'sample' ? before === 0 : before < 2 || CONCURRENT.test(String(title));
}
