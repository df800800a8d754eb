import fc from 'fast-check';
import { expect } from 'vitest';
import { observe } from './observation.ts';
import type { Side, Scenario } from './scenario.ts';

/** Acts on one side. The results of the two sides are compared. */
type Act = (side: Side) => Promise<unknown>;

/** Prepares the input that both sides get; null if there is nothing to do. */
export type Plan<Choice> = (scenario: Scenario, choice: Choice) => Promise<Act | null>;

export type Step = fc.Arbitrary<fc.AsyncCommand<Scenario, Side>>;

export function step<Choice>(name: string, choices: fc.Arbitrary<Choice>, plan: Plan<Choice>): Step {
  return choices.map((choice) => ({
    check: () => true,
    async run(scenario, real): Promise<void> {
      const act = await plan(scenario, choice);
      if (!act) return;
      const expected = await act(scenario.model);
      const actual = await act(real);
      expect(actual, `what ${name} returns`).toEqual(expected);
      const reads = await observe(real.storage, scenario);
      expect(reads, `what can be read after ${name}`).toEqual(
        await observe(scenario.model.storage, scenario),
      );
      expectInTime(real.nextAt, scenario.model.nextAt, scenario.now);
    },
    toString: () => `${name}(${fc.stringify(choice)})`,
  }));
}

/**
 * The reported time of the next claim may be too early, but not too late. If nothing is due, it must be later than
 * `now`.
 */
function expectInTime(actual: number | null, exact: number | null, now: number): void {
  const latest = exact ?? Infinity;
  const early = actual ?? Infinity;
  expect(early, 'the time of the next claim').toBeLessThanOrEqual(latest);
  if (latest > now) expect(early, 'the time of the next claim').toBeGreaterThan(now);
}
