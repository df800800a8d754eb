import { constants } from 'node:os';
import type { Logger } from 'pino';
import { reportFailedStart } from './start/failed-start.ts';
import { hideSqliteWarning, reportWarnings } from './start/node-warnings.ts';
import { settingsOf } from './serve.ts';
import type { ServeOptions } from './serve.ts';
import { serverLogger } from './telemetry/server-logger.ts';
import type { Settings } from './settings/settings.ts';
import { reasonOf } from './errors/start-error.ts';
import { startServer } from './start-server.ts';
import type { RunningServer, ServerParts } from './start-server.ts';

export type { ServerParts } from './start-server.ts';

hideSqliteWarning();

/**
 * The time for requests in flight and for closing, in addition to the workers' time to finish. Work that takes longer
 * is cut off, and the next start continues it.
 */
const CLOSE_WITHIN_MS = 15_000;

/**
 * Runs the server until a signal ends it, and exits the process: 0 when it ended cleanly, 1 when it could not start or
 * failed, 130 or 143 at a second signal.
 */
export async function runServer(options: ServeOptions = {}): Promise<void> {
  runSettings(await settingsOrExit(options));
}

/** Like runServer, with the caller's own parts. */
export async function runServerWith(parts: ServerParts, options: ServeOptions): Promise<void> {
  runSettings(await settingsOrExit(options), parts);
}

export function runSettings(settings: Settings, parts: ServerParts = {}): void {
  // Makes the server's files readable only by its own user.
  process.umask(0o077);
  const logger = serverLogger(settings);
  process.stderr.on('error', () => {}); // a line that cannot be written must not end the process
  reportWarnings((warning) =>
    logger.warn(
      { err: warning, warning: warning.name },
      'Node.js warns of what err names: report it as a defect',
    ),
  );

  process.on('uncaughtException', (error) => {
    logger.fatal(
      { err: error },
      'an unexpected error ends the server: start it again, and report err as a defect',
    );
    process.exit(1);
  });
  const starting = startServer(settings, logger, parts);
  starting.catch((error: unknown) => failStart(error, settings.logFormat));
  endOnSignals(starting, { withinMs: settings.stopTimeoutMs + CLOSE_WITHIN_MS, logger });
}

async function settingsOrExit(options: ServeOptions): Promise<Settings> {
  const logFormat = options.logFormat ?? options.environment?.['LOG_FORMAT'];
  return settingsOf(options).catch((error: unknown) => failStart(error, logFormat));
}

function failStart(error: unknown, logFormat: string | undefined): never {
  reportFailedStart(error, { logFormat });
  process.exit(1);
}

/** The first signal ends the server cleanly, a second one immediately. */
function endOnSignals(
  starting: Promise<RunningServer>,
  { withinMs, logger }: { readonly withinMs: number; readonly logger: Logger },
): void {
  let ending = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (ending) process.exit(128 + constants.signals[signal]);
      ending = true;
      logger.info({ signal }, 'a signal ends the server');
      end(starting, { withinMs, logger }).catch((error: unknown) => {
        logger.fatal({ err: error }, `the server did not end cleanly: ${reasonOf(error)}`);
        process.exit(1);
      });
    });
  }
}

async function end(
  starting: Promise<RunningServer>,
  { withinMs, logger }: { readonly withinMs: number; readonly logger: Logger },
): Promise<void> {
  setTimeout(() => {
    logger.fatal(
      { seconds: withinMs / 1000 },
      'some work did not end in time and was cut off: the next start continues it',
    );
    process.exit(1);
  }, withinMs).unref();
  const running = await starting;
  await running.stop();
  process.exit(0);
}
