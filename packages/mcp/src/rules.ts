// The server checks its settings with these, without loading the rest of the package.
export { flawInCounterpart } from './counterparts.ts';

/** How many messages models may send in each workspace on one day. */
export const MESSAGES_PER_DAY = { default: 20, max: 100_000 } as const;
