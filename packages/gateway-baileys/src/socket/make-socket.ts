import type { Clock } from '@trunkline/core/spi/gateway';
import {
  DEFAULT_CONNECTION_CONFIG,
  isHostedPnUser,
  isJidNewsletter,
  isJidStatusBroadcast,
  isPnUser,
  makeWASocket,
  proto,
} from '@whiskeysockets/baileys';
import type {
  GroupMetadata,
  SignalKeyStoreWithTransaction,
  SignalRepositoryWithLIDStore,
  SocketConfig,
  UserFacingSocketConfig,
  WABrowserDescription,
  WASocket,
  WAVersion,
} from '@whiskeysockets/baileys';
import type { ILogger } from '@whiskeysockets/baileys/lib/Utils/logger.js';
import { withDispatcher } from '../network/instance-network.ts';
import type { Arrivals } from '../inbound/arrivals.ts';
import type { InstanceSettings } from '../options.ts';
import { isKeyUsed } from '../inbound/used-keys.ts';
import { userOf } from '../inbound/phone-number.ts';
import { currentSend } from '../session/current-send.ts';
import { changeOnlyFitting } from '../session/fitting-session.ts';
import { ownKeys, signalKeys } from '../session/signal-keys.ts';
import type { SignalKeys } from '../session/signal-keys.ts';
import { signalOperations } from '../session/signal-operations.ts';
import type { SignalOperations } from '../session/signal-operations.ts';
import type { StoredSession } from '../session/stored-session.ts';
import { guardHandlers } from './guarded-handlers.ts';
import { cooperativeYield } from './cooperative-yield.ts';
import { queryTimeoutMs } from './query-time.ts';
import type { SocketCaches } from './socket-caches.ts';

interface SocketParts {
  readonly settings: InstanceSettings;
  readonly version: WAVersion | null;
  readonly logger: ILogger;
  readonly stored: StoredSession;
  readonly caches: SocketCaches;
  readonly clock: Clock;
  /** Returns the members of a group. */
  readonly findGroup: (jid: string) => Promise<GroupMetadata>;
  /** Called with stanzas that Baileys could not handle. */
  readonly skipped: (tag: string, error: unknown) => void;
}

interface MadeSocket {
  readonly socket: WASocket;
  readonly operations: SignalOperations;
}

/** Creates a Baileys socket, which begins to connect immediately. */
export function makeSocket(parts: SocketParts): MadeSocket {
  const keys = signalKeys(parts.stored.values, parts.clock);
  const operations = signalOperations(keys);
  const socket = guardHandlers(() => makeWASocket(configOf(parts, keys, operations)), parts.skipped);
  return { socket, operations };
}

function configOf(
  parts: SocketParts,
  keys: SignalKeys,
  operations: SignalOperations,
): UserFacingSocketConfig {
  const { settings, version, logger, clock, caches, findGroup } = parts;
  const { creds, arrivals, sent } = parts.stored;
  const { agent, fetchAgent, dispatcher } = settings.network;
  const makeSignalRepository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository;
  return {
    ...settings.socket,
    defaultQueryTimeoutMs: queryTimeoutMs(settings),
    ...(agent && { agent }),
    ...(fetchAgent && { fetchAgent }),
    options: withDispatcher(dispatcher),
    ...(version && { version }),
    ...caches,
    logger,
    browser: browserOf(settings),
    auth: { creds, keys },
    makeSignalRepository: operatingRepository(makeSignalRepository, {
      arrivals,
      operations,
      turn: cooperativeYield(clock),
    }),
    // This gateway asks for unreadable messages itself, and answers phones that ask for ours.
    maxMsgRetryCount: 0,
    retryRequestDelayMs: 0,
    enableRecentMessageCache: false,
    // A failed write ends the connection, so do not retry it.
    transactionOpts: { maxCommitRetries: 1, delayBetweenTriesMs: 0 },
    // Otherwise, the phone would not notify its owner.
    markOnlineOnConnect: false,
    syncFullHistory: false,
    shouldIgnoreJid: (jid) => isJidStatusBroadcast(jid) || isJidNewsletter(jid),
    // The history would bring the hidden ids and names of all contacts in one go; instead, each person who writes
    // brings their own.
    shouldSyncHistoryMessage: ({ syncType }) => syncType === proto.HistorySync.HistorySyncType.ON_DEMAND,
    getMessage: async ({ id }) => (id ? (await sent.find(id))?.content : undefined),
    cachedGroupMetadata: findGroup,
  };
}

/** How the phone lists this device. */
export function browserOf({ deviceName }: Pick<InstanceSettings, 'deviceName'>): WABrowserDescription {
  return [deviceName, 'Chrome', '1.0'];
}

interface Received {
  /** The name of the operation: the sender, or the group. */
  readonly name: string;
  readonly ciphertext: Uint8Array;
  /** The Signal address of the sender's device; null for a message to a group. */
  readonly address: string | null;
}

/**
 * An empty message with its padding. For one that the network repeats, Baileys gets this instead of an error, because
 * it would refuse the message: the network would keep it and might hold back everything behind it.
 */
const NO_CONTENT: Uint8Array = Buffer.from([1]);

type MakeRepository = SocketConfig['makeSignalRepository'];

interface Operating {
  readonly arrivals: Arrivals;
  readonly operations: SignalOperations;
  /** Awaited before each of many small pieces of work. */
  readonly turn: () => Promise<void>;
}

/**
 * Makes each step of a session or of a group's key an operation, and records messages. Baileys acknowledges a message
 * before it reports it, so the content is stored in the same operation as the decryption, which uses up a key.
 */
function operatingRepository(
  make: MakeRepository,
  { arrivals, operations, turn }: Operating,
): MakeRepository {
  return (auth, ...rest) => {
    const keys = auth.keys as SignalKeyStoreWithTransaction; // makeWASocket adds the transactions before it calls this
    operations.takeOver(keys);
    const decryption = changeOnlyFitting(keys);
    const repository = make(auth, ...rest);

    /** Names the operations on the sessions with all devices of a person, under which of two addresses whatever. */
    const nameOf = async (jid: string): Promise<string> => {
      const isNumber = isPnUser(jid) === true || isHostedPnUser(jid) === true;
      // Baileys looks the hidden id up in the same way when it looks for the session.
      const lid = isNumber ? await repository.lidMapping.getLIDForPN(jid).catch(() => null) : null;
      return userOf(lid ?? jid) ?? jid;
    };
    const recorded = async (
      { name, ciphertext, address }: Received,
      decrypt: () => Promise<Uint8Array>,
    ): Promise<Uint8Array> => {
      const opening = operations.run([name], async () => {
        const opened = await decrypt();
        const recording = await arrivals.record(ciphertext, opened);
        if (recording) await keys.set(ownKeys(recording.keys));
        return { plaintext: opened, recording };
      });
      const { plaintext, recording } = await opening.catch(async (error: unknown) => {
        if (await isKeyUsed(keys, { error, ciphertext, address })) {
          arrivals.noteRepeat(ciphertext);
          return { plaintext: NO_CONTENT, recording: null };
        }
        await arrivals.recordFailure(ciphertext);
        throw error;
      });
      if (recording) arrivals.announce(recording);
      return plaintext;
    };

    return Object.assign(Object.create(repository), {
      // Called for each device of each member of a group.
      validateSession: async (jid) => {
        await turn();
        return currentSend() ? { exists: true } : repository.validateSession(jid);
      },
      injectE2ESession: async (options) => {
        await turn();
        return operations.run([await nameOf(options.jid)], () => repository.injectE2ESession(options));
      },
      encryptMessage: async (options) => {
        await turn();
        const encrypted = await operations.run([await nameOf(options.jid)], () =>
          repository.encryptMessage(options),
        );
        currentSend()?.encryptedFor.add(options.jid);
        return encrypted;
      },
      encryptGroupMessage: (options) =>
        operations.run([options.group], () => repository.encryptGroupMessage(options)),
      getSenderKeyDistributionMessage: (options) =>
        operations.run([options.group], () => repository.getSenderKeyDistributionMessage(options)),
      processSenderKeyDistributionMessage: (options) =>
        operations.run([options.item.groupId ?? ''], () =>
          repository.processSenderKeyDistributionMessage(options),
        ),
      migrateSession: async (fromJid, toJid) => {
        const names = [fromJid, toJid].map((jid) => userOf(jid) ?? jid);
        return operations.run(names, () => repository.migrateSession(fromJid, toJid));
      },
      decryptMessage: async (options) =>
        recorded(
          {
            name: await nameOf(options.jid),
            ciphertext: options.ciphertext,
            address: repository.jidToSignalProtocolAddress(options.jid),
          },
          () =>
            options.type === 'msg'
              ? decryption(() => repository.decryptMessage(options))
              : repository.decryptMessage(options),
        ),
      decryptGroupMessage: (options) =>
        recorded({ name: options.group, ciphertext: options.msg, address: null }, () =>
          repository.decryptGroupMessage(options),
        ),
    } satisfies Partial<SignalRepositoryWithLIDStore>) as SignalRepositoryWithLIDStore; // the rest is inherited
  };
}
