import type { ClosedReason, GatewayContext } from '@trunkline/core/spi/gateway';
import type { WAVersion } from '@whiskeysockets/baileys';
import type { ClientVersions } from './client-versions.ts';
import type { InstanceMemory } from './instance-memory.ts';
import type { InstanceSettings } from './options.ts';
import { banEndsAt, describeClose, refusalOf } from './socket/close-codes.ts';
import { briefly, statusCodeOf } from './socket/status-code.ts';

/** Reconnect once after being replaced: the other client may be a copy of this service that is about to stop. */
const AFTER_REPLACED_MS = 60_000;
/** Being replaced again within this time is final, or two clients would keep replacing each other. */
const REPLACED_AGAIN_MS = 600_000;

interface ClosingInstance {
  readonly instanceId: string;
  readonly memory: InstanceMemory;
  readonly context: GatewayContext;
  readonly versions: ClientVersions;
  readonly settings: InstanceSettings;
  /** The socket's version; null for the one in the options, or Baileys' own. */
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
      const { instanceId, context } = instance;
      if (detail === 'passkey_required') context.logger.warn({ instanceId }, PASSKEY_REQUIRED);
      if (detail === 'passkey_unfinished')
        context.logger.warn({ instanceId, reason: causeOf(error) }, PASSKEY_UNFINISHED);
      const refusal = refusalOf(error);
      if (Object.keys(refusal).length > 0)
        context.logger.warn({ instanceId, code: detail, ...refusal }, NUMBER_REFUSED);
      const until = banEndsAt(error, context.clock.now());
      return { kind: 'failed', code: detail, ...(until !== null && { until }) };
    }
    case 'replaced':
      return replaced(instance, detail);
    case 'version_refused':
      return versionRefused(instance, detail);
  }
}

/** Why a linking ended; a timeout has no further cause. */
function causeOf(error: unknown): string {
  return error instanceof Error && error.cause !== undefined ? briefly(error.cause) : 'timeout';
}

/** If another process has the lease by now, core ignores this report and does not reconnect. */
function replaced({ memory, context }: ClosingInstance, detail: string): ClosedReason {
  const now = context.clock.elapsed();
  const again = memory.replacedAt !== null && now - memory.replacedAt < REPLACED_AGAIN_MS;
  memory.replacedAt = now;
  return again
    ? { kind: 'failed', code: detail }
    : { kind: 'dropped', detail, notBeforeMs: AFTER_REPLACED_MS };
}

/** The version in the options is never replaced: whoever set it has to change it. */
async function versionRefused(
  { instanceId, context, versions, version, settings }: ClosingInstance,
  detail: string,
): Promise<ClosedReason> {
  if (settings.socket.version) {
    context.logger.error({ instanceId, version: settings.socket.version.join('.') }, FIXED_VERSION_REFUSED);
    return { kind: 'failed', code: detail };
  }
  const waitMs = await versions.refused(version, settings.network);
  return waitMs === null ? { kind: 'restart' } : { kind: 'dropped', detail, notBeforeMs: waitMs };
}

const FIXED_VERSION_REFUSED =
  'WhatsApp refuses the version of WhatsApp Web that the option "socket.version" of baileysGateway sets: remove the option, or set a newer version, then connect the instance again';

const PASSKEY_REQUIRED =
  'an instance was not linked, because WhatsApp links devices to this account only with its passkey, which nobody gave in time: connect the instance again, and use the passkey in a browser when last_error is passkey_required';

const PASSKEY_UNFINISHED =
  'an instance was not linked, because the phone did not finish the linking after the passkey was accepted: connect the instance again, and keep WhatsApp open on the phone';

const NUMBER_REFUSED =
  'WhatsApp refuses the number of an instance, and says why: open WhatsApp on the phone, which lets the owner ask for a review';
