import fc from 'fast-check';
import { expect } from 'vitest';
import { observe } from './observation.ts';
import { expectRules } from './rules.ts';
import type { Side, Scenario } from './scenario.ts';

/** Acts on one side. If there are two, their results are compared. */
type Act = (side: Side) => Promise<unknown>;

/** Prepares the input that each side gets; null if there is nothing to do. */
export type Plan<Choice> = (scenario: Scenario, choice: Choice) => Promise<Act | null>;

export type Step = fc.Arbitrary<fc.AsyncCommand<Scenario, Side>>;

export function step<Choice>(name: string, choices: fc.Arbitrary<Choice>, plan: Plan<Choice>): Step {
  return choices.map((choice) => ({
    check: () => true,
    async run(scenario, real): Promise<void> {
      const act = await plan(scenario, choice);
      if (!act) return;
      const { model, seen } = scenario;
      const expected = model === real ? null : await act(model);
      const actual = await act(real);
      const reads = await observe(real.storage, scenario);
      scenario.seen = reads;
      expectRules(name, { before: seen, after: reads });
      if (model === real) return;
      expect(actual, `what ${name} returns`).toEqual(expected);
      expect(reads, `what can be read after ${name}`).toEqual(await observe(model.storage, scenario));
      expect(isDue(real, scenario), 'that the next claim is due').toBe(isDue(model, scenario));
    },
    toString: () => `${name}(${fc.stringify(choice)})`,
  }));
}

/** Whether the time that was reported for the next claim has come. */
function isDue({ nextAt }: Side, { now }: Scenario): boolean {
  return nextAt !== null && nextAt <= now;
}
