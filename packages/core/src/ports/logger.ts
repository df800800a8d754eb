export type LogFunction = (facts: Readonly<Record<string, unknown>>, message: string) => void;

/** Shaped like pino, so that a pino logger fits unchanged. */
export interface Logger {
  readonly debug: LogFunction;
  readonly info: LogFunction;
  readonly warn: LogFunction;
  readonly error: LogFunction;
}

export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * The default logger. It writes warnings and errors to the runtime's console, and drops the rest: a service must not be
 * silent about its failures.
 */
// oxlint-disable no-console -- the one place in the packages that writes there by itself
export const consoleLogger: Logger = {
  debug() {},
  info() {},
  warn: (facts, message) => console.warn(`trunkline: ${message}`, facts),
  error: (facts, message) => console.error(`trunkline: ${message}`, facts),
};
