import { checkOptionNames } from '@trunkline/option-names';
import type { Clock } from '../ports/clock.ts';
import type { Crypto } from '../ports/crypto.ts';
import type { DnsResolver } from '../ports/dns-resolver.ts';
import type { Random } from '../ports/random.ts';
import { systemClock } from './clock.ts';
import { nodeCrypto } from './crypto.ts';
import { systemRandom } from './random.ts';

/**
 * The ports that a runtime other than Node.js can provide if it has `node:crypto`, such as workerd with
 * `nodejs_compat`.
 */
export interface EdgeRuntime {
  /** The runtime's clock and timers. */
  readonly clock: Clock;
  /** The runtime's secure random bytes. */
  readonly random: Random;
  /** SHA-256, key derivation and AES-256-GCM. */
  readonly crypto: Crypto;
  /** Resolves the hosts of webhooks. */
  readonly dns: DnsResolver;
}

/** The options of `edgeRuntime`. */
export interface EdgeRuntimeOptions {
  /** Resolves the hosts of webhooks when they are registered, because the runtime may have no resolver. */
  readonly dns: DnsResolver;
}

/**
 * Provides the ports for a process that only serves requests, while other processes on the same storage do all other
 * work. This entry point is separate, so that bundlers do not find undici and Node's sockets.
 *
 * @example createTrunkline({ ...edgeRuntime({ dns }), storage, gateways: [gateway], secretKey, roles: { gateway: false, webhooks: false, maintenance: false } })
 */
export function edgeRuntime(options: EdgeRuntimeOptions): EdgeRuntime {
  checkOptionNames('edgeRuntime', options, { dns: true });
  return { clock: systemClock(), random: systemRandom(), crypto: nodeCrypto(), dns: options.dns };
}
