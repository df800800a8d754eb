import { withDeadline } from '@trunkline/core/spi/gateway';
import type { Clock, GatewayListener, Restriction } from '@trunkline/core/spi/gateway';
import type { ConnectionState, NewChatMessageCapInfo, WASocket } from '@whiskeysockets/baileys';
import type { Pauses } from './socket/socket-life.ts';

const SOURCES = ['timelock', 'capping'] as const;
type Source = (typeof SOURCES)[number];

/** The network's restrictions on an instance, as far as this process knows. */
export interface Restrictions {
  /** The restriction in force; null if there is none. */
  current(): Restriction | null;
  /** Notes the network's latest report of a restriction; null if it has ended. */
  note(source: Source, restriction: Restriction | null): void;
  /** Whether the network has said in this process whether this restriction is in force. */
  isKnown(source: Source): boolean;
  /**
   * Reports the restriction in force to the listener, unless it was reported since the last `note`. Reports that there
   * is none only if that is known of each, because the listener may have stored one that an earlier process reported.
   */
  report(listener: Pick<GatewayListener, 'restricted'>): Promise<void>;
}

export function createRestrictions(clock: Pick<Clock, 'now'>): Restrictions {
  const known = new Map<Source, Restriction | null>();
  let isReported = true;
  /** Whether a restriction that the listener has stored is from this process. */
  let hasReportedOne = false;
  /** Reports are made one after another, because the listener keeps the one that it stores last. */
  let previous: Promise<void> = Promise.resolve();
  const isInForce = (restriction: Restriction | null): boolean =>
    restriction !== null && (restriction.until === null || restriction.until > clock.now());
  const current = (): Restriction | null => [...known.values()].find(isInForce) ?? null;

  return {
    current,
    isKnown: (source) => known.has(source),
    note(source, restriction) {
      const before = known.get(source);
      if (before !== undefined && isSame(before, restriction)) return;
      isReported = false;
      known.set(source, restriction);
    },
    report(listener) {
      const reported = previous
        .catch(() => undefined)
        .then(async () => {
          const restriction = current();
          const isCertain =
            restriction !== null || hasReportedOne || SOURCES.every((source) => known.has(source));
          if (isReported || !isCertain) return;
          isReported = true;
          try {
            await listener.restricted?.(restriction);
            hasReportedOne ||= restriction !== null;
          } catch (error) {
            isReported = false;
            throw error;
          }
        });
      previous = reported;
      return reported;
    },
  };
}

function isSame(one: Restriction | null, other: Restriction | null): boolean {
  return one?.code === other?.code && one?.until === other?.until;
}

/** How long a message that was refused waits for the network to name the restrictions. */
const ANSWER_MS = 5_000;
/** The waits after a query without an answer, doubled each time. */
const FIRST_RETRY_MS = 60_000;
const LONGEST_RETRY_MS = 3_600_000;
/** Refused messages ask for the restrictions at most this often. */
const AGAIN_MS = 60_000;

/** Asks the network for its restrictions on the number. It may have imposed them without a notification. */
export interface RestrictionQueries {
  /** Asks until the network has answered everything, or the connection ends. */
  askUntilKnown(): Promise<void>;
  /** Asks after the network refused a message, at most once a minute. A failure changes nothing that is known. */
  askAfterRefusal(): Promise<void>;
}

interface RestrictionWatch {
  readonly socket: Pick<WASocket, 'ev' | 'fetchAccountReachoutTimelock' | 'fetchNewChatMessageCap'>;
  readonly clock: Clock;
  readonly restrictions: Restrictions;
  readonly listener: Pick<GatewayListener, 'restricted'>;
  /** Waits that end with the connection. */
  readonly pauses: Pauses;
  readonly failed: (error: unknown) => void;
}

/** Reports the network's restrictions on the number. */
export function watchRestrictions({
  socket,
  clock,
  restrictions,
  listener,
  pauses,
  failed,
}: RestrictionWatch): RestrictionQueries {
  /** How many reports of each restriction have arrived. */
  const heard = { timelock: 0, capping: 0 };
  const report = async (): Promise<void> => {
    if (!pauses.isOver()) await restrictions.report(listener).catch(failed);
  };
  const note = (source: Source, restriction: Restriction | null): void => {
    heard[source] += 1;
    restrictions.note(source, restriction);
    void report();
  };
  socket.ev.on('connection.update', ({ reachoutTimeLock }) => {
    if (reachoutTimeLock) note('timelock', timelockOf(reachoutTimeLock));
  });
  socket.ev.on('message-capping.update', (capping) => note('capping', cappingOf(capping)));

  let askedAt = -Infinity;
  const ask = async (): Promise<void> => {
    const before = { ...heard };
    // Note the cap without a report: the response about the lock, which is an event of its own, reports both.
    await socket.fetchNewChatMessageCap().then(
      (capping) => {
        // A notification that arrived meanwhile is newer.
        if (heard.capping === before.capping) restrictions.note('capping', cappingOf(capping));
      },
      () => undefined,
    );
    await socket.fetchAccountReachoutTimelock().catch(() => undefined);
    // If a notification arrived, too, it is unknown which of the two is newer.
    if (heard.timelock > before.timelock + 1)
      await socket.fetchAccountReachoutTimelock().catch(() => undefined);
    await report();
  };
  return {
    async askUntilKnown() {
      await ask();
      for (let waitMs = FIRST_RETRY_MS; !pauses.isOver(); waitMs = Math.min(waitMs * 2, LONGEST_RETRY_MS)) {
        if (SOURCES.every((source) => restrictions.isKnown(source))) return;
        await pauses.pause(waitMs);
        if (!pauses.isOver()) await ask();
      }
    },
    async askAfterRefusal() {
      if (clock.elapsed() - askedAt < AGAIN_MS) return;
      askedAt = clock.elapsed();
      await withDeadline(clock, { what: 'The query of restrictions', ms: ANSWER_MS }, ask()).catch(
        () => undefined,
      );
    },
  };
}

type Timelock = NonNullable<ConnectionState['reachoutTimeLock']>;

/** Null unless the number may write only in existing chats. */
function timelockOf({ isActive, timeEnforcementEnds }: Timelock): Restriction | null {
  return isActive ? { code: 'cannot_start_chats', until: timeOrNull(timeEnforcementEnds?.getTime()) } : null;
}

/** Null unless the number has begun as many chats as its cycle allows. */
function cappingOf({
  capping_status: status,
  cycle_end_timestamp: endsAt,
}: NewChatMessageCapInfo): Restriction | null {
  if (String(status) !== 'CAPPED') return null;
  return { code: 'sending_capped', until: timeOrNull(Number(endsAt) * 1000) };
}

/** Null if the network sent no valid time. */
function timeOrNull(time: number | undefined): number | null {
  return time !== undefined && Number.isSafeInteger(time) && time > 0 ? time : null;
}
