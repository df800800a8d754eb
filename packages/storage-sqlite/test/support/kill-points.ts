/** The point at which the process that sends webhooks is killed. */
export type KillPoint = 'after the claim' | 'during the request' | 'after the response';

/** Shared by the tests and the processes that they start. */
export const SECRET_KEY = 'a secret key of at least 32 characters';

/**
 * Longer than a claim lasts, so that a process whose clock is this far ahead finds the slots of a killed process free.
 */
export const LATER_MS = 61_000;
