import { constants } from 'node:os';
import { pino, destination } from 'pino';
import { readSettings } from './settings.ts';
import type { Settings } from './settings.ts';
import { complaintsOf } from './start-error.ts';
import { startServer } from './start-server.ts';

const settings = readOrExit();
// Synchronous, so that the last lines before an end are there too. What is for people is on stdout.
const logger = pino({ level: settings.logLevel }, destination({ dest: 2, sync: true }));

process.on('uncaughtException', (error) => {
  logger.fatal({ err: error }, 'an unexpected error ends the server');
  process.exit(1);
});
const starting = startServer(settings, logger);
starting.catch(exitWith);
endOnSignals();

function readOrExit(): Settings {
  try {
    return readSettings(process.env);
  } catch (error) {
    return exitWith(error);
  }
}

function exitWith(error: unknown): never {
  for (const complaint of complaintsOf(error)) console.error(`trunkline: ${complaint}`);
  process.exit(1);
}

/** The first signal ends the server in good order, a second one at once. */
function endOnSignals(): void {
  let ending = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (ending) process.exit(128 + constants.signals[signal]);
      ending = true;
      end().catch(exitWith);
    });
  }
}

async function end(): Promise<void> {
  const running = await starting;
  await running.stop();
  process.exit(0);
}
