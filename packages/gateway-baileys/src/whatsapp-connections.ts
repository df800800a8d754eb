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
import type { GatewaySettings, InstanceSettings } from './options.ts';
import { briefly } from './socket/status-code.ts';

export type WhatsAppConnections = Pick<Gateway, 'open' | 'unlink'>;

interface Parts {
  readonly settings: GatewaySettings;
  /** Throws until the gateway is attached. */
  readonly context: () => GatewayContext;
  readonly skipped: (kind: string) => void;
}

/** Opens connections of instances. This module, unlike that of the gateway, loads Baileys. */
export function whatsAppConnections({ settings, context, skipped }: Parts): WhatsAppConnections {
  const memories = new Map<string, InstanceMemory>();
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
      skipped(kind);
      listener.skipped?.(kind);
    },
  });

  return {
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
