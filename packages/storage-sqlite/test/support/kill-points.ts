/** The point at which the process that sends webhooks is killed. */
export type KillPoint = 'after the claim' | 'during the request' | 'after the response';

/** The same for the tests and for the process that they start. */
export const SECRET_KEY = 'a secret key of at least 32 characters';

/** Longer than a claim holds: a process with its clock this far ahead finds the slots of a killed one free. */
export const LATER_MS = 61_000;
