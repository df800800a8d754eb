import { writeSync } from 'node:fs';
import { pino } from 'pino';
import type { Logger } from 'pino';
import { createLogFile } from './log-file.ts';
import type { WriteBytes } from './log-file.ts';
import type { Settings } from './settings.ts';

/** The log, on stderr: stdout is for people. */
export function serverLogger(
  { logLevel }: Pick<Settings, 'logLevel'>,
  write: WriteBytes = (bytes) => writeSync(2, bytes),
): Logger {
  const logger = pino(
    { level: logLevel },
    createLogFile(write, (lines) =>
      logger.warn(
        { lines },
        'lines of the log were lost, since they could not be written: watch the disk or the program that the log goes to',
      ),
    ),
  );
  return logger;
}
