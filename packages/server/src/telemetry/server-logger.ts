import { writeSync } from 'node:fs';
import { pino } from 'pino';
import type { Logger } from 'pino';
import { createLogFile } from './log-file.ts';
import type { LogTarget } from './log-file.ts';
import { logFormatFor } from './log-format.ts';
import { readableLine } from './readable-log.ts';
import type { Settings } from '../settings/settings.ts';
import { showsColors } from '../terminal/shows-colors.ts';

/**
 * The log, on stderr because stdout is for people. Each entry is a line of JSON or text; by default, text at a
 * terminal.
 */
export function serverLogger(
  { logLevel, logFormat }: Pick<Settings, 'logLevel' | 'logFormat'>,
  target: LogTarget = standardError(process.stderr, { logFormat, environment: process.env }),
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
  {
    logFormat,
    environment,
  }: Pick<Settings, 'logFormat'> & { readonly environment: Readonly<Record<string, string | undefined>> },
): LogTarget {
  const isColored = showsColors({ isTTY }, environment);
  return {
    write: (bytes) => writeSync(2, bytes),
    ...(logFormatFor(logFormat, { isTTY }) === 'text' && {
      render: (line: string) => readableLine(line, { isColored }),
    }),
  };
}
