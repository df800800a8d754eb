import fc from 'fast-check';
import { expect } from 'vitest';
import { observe } from './observation.ts';
import type { Side, World } from './world.ts';

/** Done with either side; what it answers is compared. */
type Act = (side: Side) => Promise<unknown>;

/** Makes everything that both sides get; null where there is nothing to do it with. */
export type Plan<Choice> = (world: World, choice: Choice) => Promise<Act | null>;

/** A random step of one kind. */
export type Step = fc.Arbitrary<fc.AsyncCommand<World, Side>>;

export function step<Choice>(name: string, choices: fc.Arbitrary<Choice>, plan: Plan<Choice>): Step {
  return choices.map((choice) => ({
    check: () => true,
    async run(world, real): Promise<void> {
      const act = await plan(world, choice);
      if (!act) return;
      const expected = await act(world.model);
      const actual = await act(real);
      expect(actual, `what ${name} answers`).toEqual(expected);
      const reads = await observe(real.storage, world);
      expect(reads, `what can be read after ${name}`).toEqual(await observe(world.model.storage, world));
      expectInTime(real.nextAt, world.model.nextAt, world.now);
    },
    toString: () => `${name}(${fc.stringify(choice)})`,
  }));
}

/** The time of the next claim may be too early, but not at once for nothing, and never too late. */
function expectInTime(actual: number | null, exact: number | null, now: number): void {
  const latest = exact ?? Infinity;
  const early = actual ?? Infinity;
  expect(early, 'the time of the next claim').toBeLessThanOrEqual(latest);
  if (latest > now) expect(early, 'the time of the next claim').toBeGreaterThan(now);
}
