import type {
  Gateway,
  GatewayContext,
  GatewayListener,
  OpenOptions,
  Session,
} from '@trunkline/core/spi/gateway';
import { openConnection } from './baileys-connection.ts';
import type { ConnectionParts } from './baileys-connection.ts';
import { clientVersions } from './client-versions.ts';
import { instanceMemory } from './instance-memory.ts';
import type { InstanceMemory } from './instance-memory.ts';
import { WHATSAPP } from './network-facts.ts';
import { readOptions } from './options.ts';
import type { BaileysGatewayOptions, InstanceSettings } from './options.ts';
import { isValueOfPerson } from './session/values-of-person.ts';
import { briefly } from './socket/status-code.ts';
import { quietConsole } from './socket/baileys-logs.ts';

/** A gateway to WhatsApp. */
export interface BaileysGateway extends Gateway {
  /**
   * The number of arrivals since the gateway was created that became neither a message nor an event of this API
   * (statuses, posts in channels, votes in polls…), by kind. `plaintext` counts unencrypted messages that name a person
   * as sender.
   */
  skipped(): ReadonlyMap<string, number>;
}

/**
 * Creates a gateway to WhatsApp that uses the protocol of WhatsApp's web client. Throws a `TypeError` that names the
 * first wrong option.
 */
export function baileysGateway(options: BaileysGatewayOptions = {}): BaileysGateway {
  const settings = readOptions(options);
  const memories = new Map<string, InstanceMemory>();
  const skipped = new Map<string, number>();
  let attached: GatewayContext | null = null;

  const context = (): GatewayContext => {
    if (!attached)
      throw new Error(
        'The Baileys gateway is not part of a Trunkline yet: give it to createTrunkline in the option "gateways".',
      );
    return attached;
  };
  const versions = clientVersions(settings.currentVersion, context);
  const memoryOf = (instanceId: string): InstanceMemory => {
    const memory = memories.get(instanceId) ?? instanceMemory(context());
    memories.set(instanceId, memory);
    return memory;
  };
  const settingsOf = (instanceId: string, proxyUrl: string | null): Promise<InstanceSettings> =>
    settings.of(instanceId, proxyUrl).catch((error: unknown) => {
      context().logger.error(
        { instanceId, reason: briefly(error) },
        'an instance cannot connect, since the function that baileysGateway has as its option "socket" failed for it, or returned a wrong option: correct it; it is called again with the next try',
      );
      throw error;
    });
  const partsFor = async (
    session: Session,
    listener: GatewayListener,
    { pairingNumber, proxyUrl = null }: OpenOptions,
  ): Promise<ConnectionParts> => ({
    session,
    listener,
    pairingNumber,
    settings: await settingsOf(session.instanceId, proxyUrl),
    versions,
    context: context(),
    memory: memoryOf(session.instanceId),
    skipped(kind) {
      skipped.set(kind, (skipped.get(kind) ?? 0) + 1);
      listener.skipped?.(kind);
    },
  });

  return {
    ...WHATSAPP,
    attach(given) {
      attached = given;
      quietConsole();
    },
    async open(session, listener, options = { pairingNumber: null }) {
      const connection = await openConnection(await partsFor(session, listener, options));
      return {
        ...connection,
        async logout() {
          await connection.logout();
          memories.delete(session.instanceId);
        },
      };
    },
    async unlink(session, options) {
      await unlinkStored(session, (listener) =>
        partsFor(session, listener, { pairingNumber: null, ...options }).then(openConnection),
      );
      memories.delete(session.instanceId);
    },
    isSessionValueOf: isValueOfPerson,
    skipped: () => skipped,
  };
}

/** Connects only to unlink. Arrivals are not reported, but kept for the next connection in case unlinking fails. */
async function unlinkStored(
  { instanceId }: Session,
  open: (listener: GatewayListener) => ReturnType<Gateway['open']>,
): Promise<void> {
  const outcome = Promise.withResolvers<'open' | 'not_linked'>();
  const never = new Promise<never>(() => {});
  const connection = await open({
    qr: async () => outcome.resolve('not_linked'),
    connected: () => {
      outcome.resolve('open');
      return never;
    },
    async closed(reason) {
      if (reason.kind === 'unlinked') outcome.resolve('not_linked');
      else
        outcome.reject(
          new Error(
            `WhatsApp could not be asked to unlink ${instanceId}: the connection ended first (${reason.kind}).`,
          ),
        );
    },
    message: () => never,
    receipt: () => never,
    groups: () => never,
    activity: () => never,
  });
  try {
    if ((await outcome.promise) === 'open') await connection.logout();
  } finally {
    await connection.close();
  }
}
