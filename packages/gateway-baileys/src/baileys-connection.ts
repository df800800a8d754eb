import { pause } from '@trunkline/core/spi/gateway';
import type {
  GatewayConnection,
  GatewayContext,
  GatewayListener,
  SendOutcome,
  Session,
} from '@trunkline/core/spi/gateway';
import type { ConnectionState } from '@whiskeysockets/baileys';
import type { ClientVersions, LearnedVersion } from './client-versions.ts';
import { closedReason } from './closed-reason.ts';
import type { InstanceMemory } from './instance-memory.ts';
import { downloadMedia } from './inbound/media-download.ts';
import { fileOf } from './inbound/media-file.ts';
import { linkedProfile, unlinkDevice } from './linked-device.ts';
import type { InstanceSettings } from './options.ts';
import { setBlocked } from './outbound/block-person.ts';
import { lookUpNumbers } from './outbound/look-up-numbers.ts';
import { createReadReceipts } from './outbound/mark-read.ts';
import { manageGroup } from './outbound/manage-groups.ts';
import { CONNECTION_CLOSED } from './outbound/outcomes.ts';
import { sendAction, sendMessage } from './outbound/send-message.ts';
import { showTyping } from './outbound/show-typing.ts';
import { isPaired } from './session/credentials.ts';
import { makeFirstPreKeys } from './session/first-pre-keys.ts';
import { readLearnedVersion, saveLearnedVersion } from './session/learned-version.ts';
import { pruneSession } from './session/pruning.ts';
import { readStoredSession } from './session/stored-session.ts';
import type { StoredSession } from './session/stored-session.ts';
import { briefly } from './socket/status-code.ts';
import { wireSocket } from './wired-socket.ts';

export interface ConnectionParts {
  readonly session: Session;
  readonly listener: GatewayListener;
  readonly pairingNumber: string | null;
  readonly context: GatewayContext;
  readonly settings: InstanceSettings;
  readonly memory: InstanceMemory;
  readonly versions: ClientVersions;
  readonly skipped: (kind: string) => void;
}

/** How long the end of a connection may go unreported while its last arrivals are reported. */
const LAST_REPORTS_MS = 5_000;
/** How often a connected number checks whether its version of WhatsApp Web is to be looked up again. */
const VERSION_CHECK_MS = 3_600_000;

/** Opens a connection of an instance and reports its events. Pairs the instance if it is not paired yet. */
export async function openConnection(parts: ConnectionParts): Promise<GatewayConnection> {
  const { session, listener, context, memory, versions, settings } = parts;
  const { clock, logger } = context;
  const { instanceId } = session;
  const stored = await memory.turns.run([instanceId], async () => {
    // Core gives up a connection that does not open in time, and opens the next one meanwhile. Messages that the earlier
    // one stores afterwards would be missing here, and count as reported if the network repeats them.
    await memory.session?.close();
    const read = await readStoredSession(session, context, memory);
    memory.session = read.values;
    return read;
  });
  await makeFirstPreKeys(stored.values, stored.creds, clock);
  const learned = await chooseVersion(parts, stored);
  const version = learned?.version ?? null;
  const {
    socket,
    log,
    life,
    inbox,
    inTime,
    acks,
    groupsInFlight,
    timers,
    findGroup,
    media,
    history,
    salt,
    syncGroups,
    pauses,
    passkey,
    standing,
    giveUp,
  } = wireSocket({
    ...parts,
    instanceId,
    stored,
    version,
  });
  let isOpen = false;
  let isOurEnd = false;

  /** Looks the version up once a day, and stores it for the next process. */
  const keepVersionCurrent = async (): Promise<void> => {
    if (settings.socket.version) return;
    for (;;) {
      await pauses.pause(VERSION_CHECK_MS);
      if (pauses.isOver()) return;
      const current = await versions.current(settings.network);
      if (current) await saveLearnedVersion(stored.values, current);
    }
  };

  const opened = async (): Promise<void> => {
    isOpen = true;
    await listener.connected(await linkedProfile(socket, clock));
    inbox.open();
    history.start();
    salt.start();
    // If a write fails, the session breaks, which ends the connection.
    if (learned) saveLearnedVersion(stored.values, learned).catch(() => undefined);
    keepVersionCurrent().catch(() => undefined);
    await memory.restrictions.report(listener);
    void standing.askUntilKnown();
    syncGroups();
    await pruneSession({ values: stored.values, clock, progress: memory.pruning, pauses }).catch(
      (error: unknown) => {
        logger.warn(
          { instanceId, reason: briefly(error) },
          'data that an instance no longer needs could not be erased: retried at its next connection; check the database if this repeats',
        );
      },
    );
  };

  const followState = ({ connection, qr, isNewLogin }: Partial<ConnectionState>): void => {
    if (qr || connection === 'open') life.progressed();
    // The phone is linked, and the network now asks for a new connection.
    if (isNewLogin) {
      memory.linkedAt = clock.elapsed();
      life.expectProgress();
    }
    if (connection === 'open') opened().catch(giveUp);
  };

  const drain = async (): Promise<void> => {
    await stored.arrivals.flush().catch(() => undefined);
    await stored.values.close();
  };

  const reportEnd = async (error: unknown): Promise<void> => {
    if (isOurEnd) return;
    inbox.open();
    await Promise.race([inbox.completed(), pause(clock, LAST_REPORTS_MS)]);
    await drain();
    if (isOurEnd) return;
    await listener.closed(
      await closedReason(error, { instanceId, memory, context, versions, version, settings }),
    );
  };

  socket.ev.on('connection.update', followState);
  void life.ended.then(reportEnd).catch((error: unknown) => {
    logger.debug(
      { instanceId, reason: briefly(error) },
      'the end of a connection could not be recorded: core finds out by itself',
    );
  });

  const end = async (): Promise<void> => {
    isOurEnd = true;
    life.end();
    await drain();
  };
  let hasEnded = false;
  void life.ended.then(() => {
    hasEnded = true;
  });
  const outbox = {
    socket,
    clock,
    inTime,
    acks,
    groupsInFlight,
    timers,
    findGroup,
    readReceipts: createReadReceipts(socket, clock, inTime),
    logger: log,
    sent: stored.sent,
    values: stored.values,
    recipients: memory.recipients,
    directory: memory.groups,
    restrictions: memory.restrictions,
    standing,
    history,
  };
  /** The outcome of a send, which calls `writing` before it writes; known at the latest when the connection ends. */
  const untilEnd = (send: (writing: () => void) => Promise<SendOutcome>): Promise<SendOutcome> => {
    let mayBeWritten = hasEnded;
    const sending = send(() => {
      mayBeWritten = true;
    });
    const over = life.ended.then((): SendOutcome => {
      const reason = CONNECTION_CLOSED;
      return mayBeWritten ? { kind: 'unknown', reason } : { kind: 'not_sent', reason };
    });
    return Promise.race([over, sending]);
  };
  /** Settles as `work` does, or rejects when the connection ends. */
  const whileOpen = <Value>(work: Promise<Value>, ended: string): Promise<Value> =>
    Promise.race([
      work,
      life.ended.then(() => {
        throw new Error(ended);
      }),
    ]);
  return {
    pace: settings.pace,
    send: (message) => untilEnd((writing) => sendMessage(outbox, message, writing)),
    act: (action) => untilEnd((writing) => sendAction(outbox, action, writing)),
    lookUp: (numbers) => whileOpen(lookUpNumbers(outbox, numbers), CONNECTION_CLOSED),
    setBlocked: (person, isBlocked) => whileOpen(setBlocked(outbox, person, isBlocked), CONNECTION_CLOSED),
    async manageGroup(request) {
      if (hasEnded) return { kind: 'not_done', reason: CONNECTION_CLOSED };
      return whileOpen(manageGroup(outbox, request), CONNECTION_CLOSED);
    },
    showTyping: (chat, state) => whileOpen(showTyping(outbox, chat, state), CONNECTION_CLOSED),
    answerPasskey: (answer) =>
      whileOpen(passkey.answer(answer), 'The connection to WhatsApp ended: scan the next QR.'),
    async openFile(reference) {
      const file = fileOf(reference);
      if (!isOpen || pauses.isOver())
        throw new Error('The connection is not open, so no file can be downloaded.');
      return downloadMedia(file, media);
    },
    close: end,
    async logout() {
      isOurEnd = true;
      if (isOpen) await unlinkDevice({ socket, clock }, life.ended);
      await end();
    },
  };
}

/** Returns the version to connect with; null for the one in the options, or Baileys' own. */
async function chooseVersion(
  { versions, settings }: ConnectionParts,
  { values, creds }: StoredSession,
): Promise<LearnedVersion | null> {
  if (settings.socket.version) return null;
  return versions.choose({
    isLinking: !isPaired(creds),
    stored: readLearnedVersion(values),
    network: settings.network,
  });
}
