export type LogFunction = (facts: Readonly<Record<string, unknown>>, message: string) => void;

/** Shaped like pino, so that a pino logger fits unchanged. */
export interface Logger {
  /** Logs details, and problems that resolve without action. */
  readonly debug: LogFunction;
  /** Logs what an operator may want to know, such as a start. */
  readonly info: LogFunction;
  /** Logs a problem that an operator can fix. */
  readonly warn: LogFunction;
  /** Logs a failure that should not happen. */
  readonly error: LogFunction;
}

/** A logger that logs nothing. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * The default logger. It writes warnings and errors to the runtime's console, because a service must not be silent
 * about its failures, and drops all other lines.
 */
// oxlint-disable no-console -- the one place in the packages that writes there by itself
export const consoleLogger: Logger = {
  debug() {},
  info() {},
  warn: (facts, message) => console.warn(`trunkline: ${message}`, facts),
  error: (facts, message) => console.error(`trunkline: ${message}`, facts),
};
