export type LogFunction = (facts: Readonly<Record<string, unknown>>, message: string) => void;

/** Shaped like pino, so that a pino logger fits as it is. */
export interface Logger {
  readonly debug: LogFunction;
  readonly info: LogFunction;
  readonly warn: LogFunction;
  readonly error: LogFunction;
}

export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * What is logged to when an embedder names no logger: warnings and errors go to the console of whatever runtime this
 * is, and the rest nowhere. A service that is silent about its failures would be worse.
 */
// oxlint-disable no-console -- the one place in the packages that writes there by itself
export const consoleLogger: Logger = {
  debug() {},
  info() {},
  warn: (facts, message) => console.warn(`trunkline: ${message}`, facts),
  error: (facts, message) => console.error(`trunkline: ${message}`, facts),
};
