import type { ILogger } from '@whiskeysockets/baileys/lib/Utils/logger.js';
import type { Logger } from '@trunkline/core/spi/gateway';
import { statusCodeOf } from './status-code.ts';

/**
 * Baileys' own log, at debug and without its facts: they hold keys, stanzas and what people write. Of an error the
 * status code remains. What it says below `warn` is not even made.
 */
export function baileysLogger(logger: Logger, instanceId: string): ILogger {
  const tell = (facts: unknown, message?: string): void => {
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
    warn: tell,
    error: tell,
  };
  return baileys;
}

function errorIn(facts: unknown): unknown {
  if (typeof facts !== 'object' || facts === null) return null;
  return 'err' in facts ? facts.err : 'error' in facts ? facts.error : null;
}

/** Some of its sentences have names of people in them. */
function withoutNumbers(said: string): string {
  return said.replaceAll(/\d{5,}/g, '…');
}
