export type LogFunction = (facts: Readonly<Record<string, unknown>>, message: string) => void;

/** Shaped like pino, so that a pino logger fits as it is. */
export interface Logger {
  readonly debug: LogFunction;
  readonly info: LogFunction;
  readonly warn: LogFunction;
  readonly error: LogFunction;
}

export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
