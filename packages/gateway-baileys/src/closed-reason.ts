import type { ClosedReason, Clock } from '@trunkline/core/spi/gateway';
import type { WAVersion } from '@whiskeysockets/baileys';
import type { ClientVersion } from './client-version.ts';
import type { InstanceNetwork } from './network/instance-network.ts';
import type { InstanceMemory } from './instance-memory.ts';
import { banEndsAt, describeClose } from './socket/close-codes.ts';
import { statusCodeOf } from './socket/status-code.ts';

/** Reconnect once after being replaced: the other client may be a copy of this service that is about to stop. */
const AFTER_REPLACED_MS = 60_000;
/** Being replaced again within this time is final, or two clients would keep replacing each other. */
const REPLACED_AGAIN_MS = 600_000;

interface ClosingInstance {
  readonly memory: InstanceMemory;
  readonly clock: Clock;
  readonly versions: ClientVersion;
  readonly network: InstanceNetwork;
  /** The socket's version; null for Baileys' own. */
  readonly version: WAVersion | null;
}

/** Returns how core should react to a connection that ended with `error`, and the network's code, if any. */
export async function closedReason(error: unknown, instance: ClosingInstance): Promise<ClosedReason> {
  const code = statusCodeOf(error);
  return { ...(await consequence(error, instance)), ...(code !== null && { networkCode: String(code) }) };
}

async function consequence(error: unknown, instance: ClosingInstance): Promise<ClosedReason> {
  const { action, detail } = describeClose(error);
  switch (action) {
    case 'restart':
    case 'unlinked':
    case 'qr_timeout':
      return { kind: action };
    case 'dropped':
      return { kind: 'dropped', detail };
    case 'failed': {
      const until = banEndsAt(error, instance.clock.now());
      return { kind: 'failed', code: detail, ...(until !== null && { until }) };
    }
    case 'replaced':
      return replaced(instance, detail);
    case 'version_refused':
      return versionRefused(instance, detail);
  }
}

/** If another process has the lease by now, core ignores this report and does not reconnect. */
function replaced({ memory, clock }: ClosingInstance, detail: string): ClosedReason {
  const now = clock.elapsed();
  const again = memory.replacedAt !== null && now - memory.replacedAt < REPLACED_AGAIN_MS;
  memory.replacedAt = now;
  return again
    ? { kind: 'failed', code: detail }
    : { kind: 'dropped', detail, notBeforeMs: AFTER_REPLACED_MS };
}

async function versionRefused(
  { versions, version, network }: ClosingInstance,
  detail: string,
): Promise<ClosedReason> {
  try {
    return (await versions.refused(version, network))
      ? { kind: 'restart' }
      : { kind: 'failed', code: detail };
  } catch {
    return { kind: 'dropped', detail };
  }
}
