import { isPostponed } from '../workspace/plan-rules.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { withoutEndedRestriction } from '../instance/instance-restriction.ts';
import type { Instance, InstanceStatus } from '../instance/instance.ts';
import { dayOfNewNumber } from '../instance/pace.ts';
import type { Message } from './message.ts';
import { dueSince } from './schedule.ts';

/** The codes for the progress of a message. */
export const STANDINGS = [
  'received',
  'scheduled',
  'waiting',
  'waiting_for_workspace',
  'waiting_for_instance',
  'waiting_for_pace',
  'unconfirmed',
  'delivered',
  'read',
  'failed',
  'deleted',
] as const;
/** How far a message has come, or what it is waiting for. */
export type StandingCode = (typeof STANDINGS)[number];

export interface MessageStanding {
  readonly code: StandingCode;
  /** When this state began; epoch milliseconds. */
  readonly since: number;
  /** When the wait ends at the earliest; null if that is not known, or the message does not wait. Epoch milliseconds. */
  readonly until: number | null;
  /** Describes the state to a person in one to three sentences, with times in UTC. */
  readonly sentence: string;
}

/** The facts that can delay a message. */
export interface MessageSurroundings {
  /** Null if the instance is deleted. */
  readonly instance: Instance | null;
  readonly workspace: Pick<Workspace, 'plan' | 'suspendedAt'>;
  /** Whether this process has a gateway for the network of the instance. */
  readonly hasGateway: boolean;
  /** Whether the pace of the instance holds the message. */
  readonly isPaced: boolean;
  readonly now: number;
  /** The wall clock, by which a message is due; epoch milliseconds. */
  readonly wallTime: number;
}

/** Decides the progress of a message, and describes it in a sentence. */
export function standingOf(message: Message, surroundings: MessageSurroundings): MessageStanding {
  const { now } = surroundings;
  if (message.deletedAt !== null) return deleted(message, message.deletedAt, now);
  if (message.direction === 'inbound') return received(message, now);
  switch (message.status) {
    case 'queued':
      return queued(message, surroundings);
    case 'sent':
      return sent(message, now);
    case 'delivered':
      return delivered(message, now);
    case 'read': {
      const since = message.readAt ?? message.createdAt;
      return standing('read', since, `It was read at ${clockTime(since, now)}.`);
    }
    case 'failed': {
      const since = message.failedAt ?? message.createdAt;
      const reason = message.error?.message ?? 'The reason is not known.';
      return standing('failed', since, `It failed at ${clockTime(since, now)}: ${reason}`);
    }
    case 'received':
      return received(message, now);
  }
}

/** How long a message may go without progress before the sentence gives a reason. */
const SOON_MS = 60_000;

function deleted({ direction }: Message, since: number, now: number): MessageStanding {
  const who = direction === 'inbound' ? 'Its sender deleted it' : 'It was deleted for everybody';
  return standing('deleted', since, `${who} at ${clockTime(since, now)}.`);
}

function received({ receivedAt, createdAt, readAt, media }: Message, now: number): MessageStanding {
  const since = receivedAt ?? createdAt;
  const read = readAt === null ? '' : `, and marked as read at ${clockTime(readAt, now)}`;
  const file = media && !media.available ? ' Its file is not stored.' : '';
  return standing('received', since, `It was received at ${clockTime(since, now)}${read}.${file}`);
}

function queued(
  message: Message,
  { instance, workspace, hasGateway, isPaced, now, wallTime }: MessageSurroundings,
): MessageStanding {
  if (message.sendAt !== null && message.sendAt > wallTime) {
    const sentence = `It is scheduled, and is sent at ${clockTime(message.sendAt, now)}.`;
    return standing('scheduled', message.queuedAt ?? message.createdAt, sentence, message.sendAt);
  }
  const accepted = dueSince(message);
  if (isPostponed(workspace)) {
    const since = Math.max(workspace.suspendedAt ?? accepted, accepted);
    const why =
      workspace.suspendedAt === null
        ? 'the subscription of the workspace has ended. It is sent when there is one again.'
        : `the workspace has been suspended since ${clockTime(workspace.suspendedAt, now)}. It is sent when that ends.`;
    return standing('waiting_for_workspace', since, `It waits: ${why}`);
  }
  if (instance === null) {
    return standing('waiting_for_instance', accepted, 'It waits, and its number no longer exists.');
  }
  if (!hasGateway) {
    const why = `this process has no gateway for the network of its number (${instance.network}).`;
    return standing('waiting_for_instance', accepted, `It waits: ${why}`);
  }
  const reason = whyInstanceWaits(withoutEndedRestriction(instance, now), now);
  if (reason !== null) {
    const since = Math.max(instance.statusChangedAt ?? accepted, accepted);
    return standing('waiting_for_instance', since, `It waits: ${reason}`);
  }
  const day = isPaced ? dayOfNewNumber(instance.linkedAt, now) : null;
  if (day !== null) {
    const why = `the number was linked on ${date(day.linkedAt)}, and has written to as many new people as its pace allows in one of its first ten days.`;
    const sentence = `It waits at least until ${clockTime(day.until, now)}: ${why} If the recipient writes first, it is sent immediately.`;
    return standing('waiting_for_pace', accepted, sentence, day.until);
  }
  if (now - accepted < SOON_MS) {
    return standing('waiting', accepted, 'It was accepted and is about to be sent.');
  }
  const waits = `It has waited in the queue since ${clockTime(accepted, now)}: messages before it come first, at the pace of its number, or the network takes none for this recipient for now.`;
  return standing('waiting', accepted, waits);
}

/** Null if the instance can send. */
function whyInstanceWaits(
  { status, desired, lastError, restriction, statusChangedAt }: Instance,
  now: number,
): string | null {
  const since = statusChangedAt === null ? '' : ` since ${clockTime(statusChangedAt, now)}`;
  if (restriction !== null && status !== 'connected') {
    const until = restriction.until === null ? '' : ` until ${clockTime(restriction.until, now)}`;
    return `the network has restricted the number${until} (${restriction.code}).`;
  }
  if (status === 'disconnected' && desired === 'stopped') {
    return `the number has been disconnected on request${since}. Connect it to send the message.`;
  }
  const cause = lastError === null ? '' : ` (${lastError})`;
  return INSTANCE_REASONS[status]({ since, cause });
}

const INSTANCE_REASONS: Readonly<
  Record<InstanceStatus, (facts: { readonly since: string; readonly cause: string }) => string | null>
> = {
  connected: () => null,
  created: () => 'the number has not been linked yet. Connect it and scan its QR.',
  connecting: ({ since }) =>
    `the number has been connecting${since}. The message is sent once it is connected.`,
  qr_required: ({ since }) => `the number has been waiting for its QR to be scanned${since}.`,
  disconnected: ({ since, cause }) =>
    `the number has been disconnected${since}${cause}. The message is sent once it is connected again.`,
  logged_out: ({ since }) => `the number has been logged out${since}. Connect it and scan a new QR.`,
  error: ({ since, cause }) =>
    `the number has not been able to go on${since}${cause}. Connect it to send the message.`,
};

function sent({ sentAt, createdAt, groupId }: Message, now: number): MessageStanding {
  const since = sentAt ?? createdAt;
  const phone = groupId === null ? 'The phone' : 'No phone in the group';
  const has = groupId === null ? 'has not confirmed it' : 'has confirmed it';
  if (now - since < SOON_MS) {
    return standing('unconfirmed', since, `The network has it. ${phone} ${has} yet.`);
  }
  const why = groupId === null ? '; it may be off' : '';
  return standing('unconfirmed', since, `${phone} ${has} since ${clockTime(since, now)}${why}.`);
}

function delivered({ deliveredAt, createdAt, groupId }: Message, now: number): MessageStanding {
  const since = deliveredAt ?? createdAt;
  const phone = groupId === null ? 'the phone' : 'the first phone in the group';
  const sentence = `It reached ${phone} at ${clockTime(since, now)}. It has not been read, or the reader does not report it.`;
  return standing('delivered', since, sentence);
}

function standing(
  code: StandingCode,
  since: number,
  sentence: string,
  until: number | null = null,
): MessageStanding {
  return { code, since, until, sentence };
}

/** The day in UTC, such as `2026-11-29`. */
function date(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** `14:02 UTC`, with the date in front unless it is today. */
function clockTime(time: number, now: number): string {
  const [date, clock] = new Date(time).toISOString().split('T');
  const isToday = date === new Date(now).toISOString().split('T')[0];
  return `${isToday ? '' : `${date} `}${clock?.slice(0, 5)} UTC`;
}
