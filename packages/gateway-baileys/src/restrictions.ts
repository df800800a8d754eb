import type { Clock, GatewayListener, Restriction } from '@trunkline/core/spi/gateway';
import type { ConnectionState, NewChatMessageCapInfo, WASocket } from '@whiskeysockets/baileys';

type Source = 'timelock' | 'capping';

/** The network's restrictions on an instance, as far as this process knows. */
export interface Restrictions {
  /** The restriction in force; null if there is none. */
  current(): Restriction | null;
  /** Notes the network's latest report of a restriction; null if it has ended. */
  note(source: Source, restriction: Restriction | null): void;
  /** Reports the restriction in force to the listener, unless it was reported since the last `note`. */
  report(listener: Pick<GatewayListener, 'restricted'>): Promise<void>;
}

export function createRestrictions(clock: Pick<Clock, 'now'>): Restrictions {
  const known = new Map<Source, Restriction>();
  let isReported = true;
  const isInForce = ({ until }: Restriction): boolean => until === null || until > clock.now();
  const current = (): Restriction | null => [...known.values()].find(isInForce) ?? null;

  return {
    current,
    note(source, restriction) {
      isReported = false;
      if (restriction) known.set(source, restriction);
      else known.delete(source);
    },
    async report(listener) {
      if (isReported) return;
      isReported = true;
      try {
        await listener.restricted?.(current());
      } catch (error) {
        isReported = false;
        throw error;
      }
    },
  };
}

interface RestrictionWatch {
  readonly socket: Pick<WASocket, 'ev'>;
  readonly restrictions: Restrictions;
  readonly listener: Pick<GatewayListener, 'restricted'>;
  readonly failed: (error: unknown) => void;
}

/** Reports the network's restrictions on the number. */
export function watchRestrictions({ socket, restrictions, listener, failed }: RestrictionWatch): void {
  const note = (source: Source, restriction: Restriction | null): void => {
    restrictions.note(source, restriction);
    restrictions.report(listener).catch(failed);
  };
  socket.ev.on('connection.update', ({ reachoutTimeLock }) => {
    if (reachoutTimeLock) note('timelock', timelockOf(reachoutTimeLock));
  });
  socket.ev.on('message-capping.update', (capping) => note('capping', cappingOf(capping)));
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
