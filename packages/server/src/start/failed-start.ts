import { logFormatFor } from '../telemetry/log-format.ts';
import { printable } from '../terminal/printable.ts';
import { serverLogger } from '../telemetry/server-logger.ts';
import { complaintsOf } from '../errors/start-error.ts';

/**
 * Reports why the server cannot start, one line per complaint: in the format of command errors if the log is text, or
 * else as the last lines of the log, whatever the log level. `logFormat` is the value of LOG_FORMAT.
 */
export function reportFailedStart(
  error: unknown,
  {
    complaints = complaintsOf(error),
    logFormat,
  }: { readonly complaints?: readonly string[]; readonly logFormat: string | undefined },
): void {
  if (logFormatFor(logFormat, process.stderr) === 'text') {
    for (const complaint of complaints) process.stderr.write(`trunkline: ${printable(complaint)}\n`);
    return;
  }
  const logger = serverLogger({ logLevel: 'fatal', logFormat: 'json' });
  const facts = factsOf(error);
  for (const complaint of complaints) logger.fatal(facts, `the server cannot start: ${complaint}`);
}

/** JavaScript's own error types, which indicate a defect. */
const DEFECTS = [TypeError, ReferenceError, RangeError, SyntaxError] as const;

/** For a defect, returns type, message and stack only, because other properties may hold a URL with a password. */
function factsOf(error: unknown): object {
  const Defect = DEFECTS.find((one) => error instanceof one);
  if (Defect === undefined || !(error instanceof Error)) return {};
  return { err: { type: Defect.name, message: error.message, stack: error.stack } };
}
