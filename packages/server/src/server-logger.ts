import { writeSync } from 'node:fs';
import { pino } from 'pino';
import type { Logger } from 'pino';
import { createLogFile } from './log-file.ts';
import type { LogTarget } from './log-file.ts';
import { readableLine } from './readable-log.ts';
import type { Settings } from './settings.ts';
import { showsColors } from './shows-colors.ts';

/** The log, on stderr because stdout is for people. Each entry is a line of JSON or, at a terminal, a readable line. */
export function serverLogger(
  { logLevel }: Pick<Settings, 'logLevel'>,
  target: LogTarget = standardError(process.stderr, process.env),
): Logger {
  const logger = pino(
    { level: logLevel },
    createLogFile(target, (lines) =>
      logger.warn(
        { lines },
        'lines of the log were lost, since they could not be written: watch the disk or the program that the log goes to',
      ),
    ),
  );
  return logger;
}

function standardError(
  { isTTY }: { readonly isTTY?: boolean | undefined },
  environment: Readonly<Record<string, string | undefined>>,
): LogTarget {
  const isColored = showsColors({ isTTY }, environment);
  return {
    write: (bytes) => writeSync(2, bytes),
    ...(isTTY === true && { render: (line: string) => readableLine(line, { isColored }) }),
  };
}
