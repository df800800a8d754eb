import type { GatewayContext, GatewayListener } from '@trunkline/core/spi/gateway';
import type { WASocket, WAVersion } from '@whiskeysockets/baileys';
import type { ILogger } from '@whiskeysockets/baileys/lib/Utils/logger.js';
import { watchSalt } from './history/salt-sync.ts';
import type { SaltWatch } from './history/salt-sync.ts';
import { historyReader } from './history/read-history.ts';
import type { HistoryReader } from './history/read-history.ts';
import { watchGroups } from './inbound/groups.ts';
import type { Groups } from './inbound/groups.ts';
import { createInbox } from './inbound/inbox.ts';
import type { Inbox } from './inbound/inbox.ts';
import { mediaNetwork } from './inbound/media-network.ts';
import type { MediaNetwork } from './inbound/media-network.ts';
import type { InstanceMemory } from './instance-memory.ts';
import { confirmRepeats } from './inbound/repeated-messages.ts';
import { askAgain } from './inbound/retry-requests.ts';
import { refuseStanzas } from './inbound/refused-stanzas.ts';
import type { PasskeyLinking } from './linking/passkey.ts';
import { showQrs } from './linking/show-qrs.ts';
import type { InstanceSettings } from './options.ts';
import { watchAcks } from './outbound/acks.ts';
import type { Acks } from './outbound/acks.ts';
import { watchDeviceLists } from './outbound/device-lists.ts';
import { watchIdentityChanges } from './outbound/identity-changes.ts';
import { answerRetries } from './outbound/resends.ts';
import { watchChatTimers } from './outbound/chat-timers.ts';
import type { ChatTimers } from './outbound/chat-timers.ts';
import { saveCredentials } from './session/credentials.ts';
import { refillPreKeys } from './session/pre-key-refill.ts';
import type { StoredSession } from './session/stored-session.ts';
import { limitAppState } from './socket/app-state.ts';
import { baileysLogger } from './socket/baileys-logs.ts';
import { browserOf, makeSocket } from './socket/make-socket.ts';
import { keepMessageOrder } from './socket/message-order.ts';
import { queriesInTime } from './socket/query-time.ts';
import type { InTime } from './socket/query-time.ts';
import { askForOfflineBatches } from './socket/offline-batches.ts';
import { watchRestrictions } from './restrictions.ts';
import type { RestrictionQueries } from './restrictions.ts';
import { createPauses, socketLife } from './socket/socket-life.ts';
import type { Pauses, SocketLife } from './socket/socket-life.ts';
import { briefly } from './socket/status-code.ts';

export interface WiringParts {
  readonly instanceId: string;
  readonly listener: GatewayListener;
  readonly pairingNumber: string | null;
  readonly context: GatewayContext;
  readonly settings: InstanceSettings;
  readonly memory: InstanceMemory;
  /** The version that we report; null for Baileys' own version. */
  readonly version: WAVersion | null;
  readonly stored: StoredSession;
  readonly skipped: (kind: string) => void;
}

/** A socket with its event handlers attached. The caller follows the connection state. */
export interface WiredSocket {
  readonly socket: WASocket;
  readonly log: ILogger;
  readonly life: SocketLife;
  readonly inbox: Inbox;
  readonly inTime: InTime;
  readonly acks: Acks;
  /** The groups that messages are on their way to. */
  readonly groupsInFlight: Set<string>;
  readonly media: MediaNetwork;
  readonly history: HistoryReader;
  readonly salt: SaltWatch;
  readonly timers: ChatTimers;
  readonly standing: RestrictionQueries;
  readonly findGroup: Groups['find'];
  /** Queries the list of all groups, and reports them. */
  readonly syncGroups: () => void;
  readonly pauses: Pauses;
  readonly passkey: PasskeyLinking;
  /** Ends the connection after an error that reconnecting may fix. */
  readonly giveUp: (error: unknown) => void;
}

export function wireSocket(parts: WiringParts): WiredSocket {
  const { instanceId, listener, context, settings, memory, version, stored, skipped } = parts;
  const { clock, logger } = context;
  const log = baileysLogger(logger, instanceId);
  const skippedStanza = (tag: string, error: unknown): void =>
    logger.warn(
      { instanceId, tag, reason: briefly(error) },
      'a stanza of WhatsApp could not be handled and was skipped: if messages or receipts are missing, report it with its tag and reason',
    );
  const { socket, operations } = makeSocket({
    settings,
    version,
    stored,
    logger: log,
    caches: memory.caches,
    clock,
    findGroup: (jid) => groups.find(jid),
    skipped: skippedStanza,
  });
  const life = socketLife(socket, clock);
  const giveUp = (error: unknown): void => {
    logger.debug({ instanceId, reason: briefly(error) }, 'a connection is given up');
    life.end(error);
  };

  socket.ev.on('creds.update', () => {
    // If the write fails, the session breaks, which ends the connection.
    saveCredentials(stored.values, stored.creds).catch(() => undefined);
  });
  void stored.broken.then(giveUp);
  askForOfflineBatches(socket);
  const order = keepMessageOrder(socket, (error) => skippedStanza('message', error));
  refuseStanzas(socket, skipped);
  confirmRepeats({ socket, order, arrivals: stored.arrivals, skipped });
  const pauses = createPauses(clock, life.ended);
  const acks = watchAcks(socket);
  answerRetries({ socket, clock, acks, sent: stored.sent, copies: memory.copies, pauses, logger: log });
  const standing = watchRestrictions({
    socket,
    clock,
    restrictions: memory.restrictions,
    listener,
    pauses,
    failed: giveUp,
  });
  const passkey = showQrs({
    socket,
    listener,
    clock,
    pauses,
    browser: browserOf(settings),
    pairingNumber: parts.pairingNumber,
    qrLifetimeMs: settings.socket.qrTimeout,
    failed: giveUp,
  });
  askAgain({ socket, arrivals: stored.arrivals, failures: memory.failures, pauses, logger: log });
  const groups = watchGroups({
    socket,
    directory: memory.groups,
    pauses,
    report: (reports, extent) => listener.groups(reports, extent),
    failed: (error) =>
      logger.warn(
        { instanceId, reason: briefly(error) },
        'the groups of an instance could not be read: those that were known stay, and it is tried again',
      ),
  });
  limitAppState(socket);
  refillPreKeys(socket);
  const groupsInFlight = new Set<string>();
  watchIdentityChanges({ socket, order, operations, values: stored.values, groupsInFlight });
  watchDeviceLists(socket, memory.caches.userDevicesCache);
  const { arrivals } = stored;
  const media = mediaNetwork({
    socket,
    clock,
    waWebSocketUrl: settings.socket.waWebSocketUrl,
    fetch: settings.network.fetch,
  });
  return {
    socket,
    log,
    life,
    giveUp,
    inTime: queriesInTime(clock, settings),
    acks,
    groupsInFlight,
    media,
    // Created after `limitAppState`, so that it gets the whole notification.
    salt: watchSalt({ socket, values: stored.values, media, logger: log }),
    history: historyReader({
      pending: stored.history,
      values: stored.values,
      media,
      clock,
      pauses,
      link: memory,
      failed: (error) => logger.warn({ instanceId, reason: briefly(error) }, HISTORY_FAILED),
    }),
    standing,
    timers: watchChatTimers({
      socket,
      values: stored.values,
      groupChanged: (jid) => memory.groups.delete(jid),
      failed: giveUp,
    }),
    findGroup: groups.find,
    inbox: createInbox({
      socket,
      arrivals,
      listener,
      clock,
      media,
      calls: memory.calls,
      skipped,
      refused: giveUp,
      ended: life.ended,
    }),
    syncGroups: groups.sync,
    pauses,
    passkey,
  };
}

const HISTORY_FAILED =
  'a part of the history of a newly linked phone could not be read: if WhatsApp refuses messages to customers of long standing (account_restricted), have them write first, or link the number again';
