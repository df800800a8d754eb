// The server checks its settings with these exports, without loading the rest of the package.
export { flawInCounterpart } from './counterparts.ts';

/** The default and the maximum of `SendingRules.messagesPerDay`. */
export const MESSAGES_PER_DAY = { default: 20, max: 100_000 } as const;
