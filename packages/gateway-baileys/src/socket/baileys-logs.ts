import type { Logger } from '@trunkline/core/spi/gateway';
import type { ILogger } from '@whiskeysockets/baileys/lib/Utils/logger.js';
import { statusCodeOf } from './status-code.ts';

/**
 * Baileys' own log, at debug level and without its fields, which contain keys, stanzas and people's texts. Lines below
 * `warn` are dropped unformatted.
 */
export function baileysLogger(logger: Logger, instanceId: string): ILogger {
  const log = (facts: unknown, message?: string): void => {
    const said = typeof facts === 'string' ? facts : (message ?? '');
    logger.debug(
      { instanceId, statusCode: statusCodeOf(errorIn(facts)) },
      `Baileys: ${withoutNumbers(said)}`,
    );
  };
  const nothing = (): void => {};
  const baileys: ILogger = {
    level: 'warn',
    child: () => baileys,
    trace: nothing,
    debug: nothing,
    info: nothing,
    warn: log,
    error: log,
  };
  return baileys;
}

function errorIn(facts: unknown): unknown {
  if (typeof facts !== 'object' || facts === null) return null;
  return 'err' in facts ? facts.err : 'error' in facts ? facts.error : null;
}

/** Hides digits: some messages contain people's numbers. */
function withoutNumbers(said: string): string {
  return said.replaceAll(/\d{5,}/g, '…');
}

/**
 * The beginnings of lines that libsignal prints, some with session secrets. It accepts no logger, so they are kept off
 * the console.
 */
const LIBSIGNAL_LINES = [
  'Closing session:',
  'Opening session:',
  'Removing old closed session:',
  'Migrating session to:',
  'Session already closed',
  'Session already open',
  'Closing open session in favor of incoming prekey bundle',
  'V1 session storage migration error: registrationId',
  'Failed to decrypt message with any known session...',
  'Session error:',
  'Decrypted message with closed session.',
  'WARNING: Expected pubkey of length 33',
  'Unhandled bucket type (for naming):',
] as const;

const METHODS = ['info', 'warn', 'error'] as const;
const QUIET = Symbol.for('@trunkline/gateway-baileys quiet console');

/** Keeps libsignal's lines off this process's console. Repeated calls change nothing. */
export function quietConsole(target: Pick<Console, (typeof METHODS)[number]> = console): void {
  for (const method of METHODS) {
    const print = target[method];
    if (QUIET in print) continue;
    const filtered = (...args: unknown[]): void => {
      if (!isLibsignal(args[0])) print.apply(target, args);
    };
    target[method] = Object.assign(filtered, { [QUIET]: true });
  }
}

function isLibsignal(first: unknown): boolean {
  return typeof first === 'string' && LIBSIGNAL_LINES.some((line) => first.startsWith(line));
}
