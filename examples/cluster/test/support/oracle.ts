import type { NetworkLog } from '../../src/network/network-log.ts';
import type { Load } from './load.ts';
import type { Arrival, Receiver } from './receivers.ts';

/** What was seen from outside of the service: by its clients, its receivers, and the network. */
export interface Evidence {
  readonly load: Load;
  readonly receivers: readonly Receiver[];
  readonly log: NetworkLog;
}

/** By the last digits of its recipient, the events of a message (docs/sandbox.md). */
const EVENTS: Readonly<Record<string, readonly string[]>> = {
  '0001': ['message.sent'],
  '0003': ['message.failed'],
};
const READ = ['message.sent', 'message.delivered', 'message.read'];

interface Expected {
  readonly text: string;
  readonly events: readonly string[];
}

function expected({ load }: Evidence): readonly Expected[] {
  return [
    ...load.accepted.map(({ text, to }) => ({ text, events: EVENTS[to.slice(-4)] ?? READ })),
    ...load.inbound.map((text) => ({ text, events: ['message.received'] })),
  ];
}

/** What somebody was promised and has not got yet. */
export function missing(evidence: Evidence): readonly string[] {
  const { receivers, log } = evidence;
  const sent = new Set(log.records.flatMap((record) => (record.kind === 'accepted' ? [record.text] : [])));
  return expected(evidence).flatMap(({ text, events }) => [
    ...(events.includes('message.sent') && !sent.has(text) ? [`${text} was not sent`] : []),
    ...receivers.flatMap((receiver) =>
      events
        .filter((type) => receiver.events.includes(type) && !hasTaken(receiver, { text, type }))
        .map((type) => `${receiver.name} was not told of ${type} ${text}`),
    ),
  ]);
}

function hasTaken(receiver: Receiver, { text, type }: { text: string; type: string }): boolean {
  return receiver.arrivals.some((arrival) => arrival.taken && arrival.text === text && arrival.type === type);
}

/** What was done and should never be. */
export function violations(evidence: Evidence, windowMs: number): readonly string[] {
  return [
    ...evidence.load.complaints.map((complaint) => `a client was answered ${complaint}`),
    ...acceptedTwice(evidence),
    ...sentTwice(evidence),
    ...toldWrongly(evidence),
    ...evidence.receivers.flatMap((receiver) => [
      ...receiver.refused.map((reason) => `${receiver.name} was sent what is not signed: ${reason}`),
      ...tooMany(receiver, windowMs),
    ]),
    ...ownedTwice(evidence),
  ];
}

function acceptedTwice({ load }: Evidence): readonly string[] {
  const ids = load.accepted.map(({ messageId }) => messageId);
  return repeated(ids).map((id) => `${id} was the answer to two messages`);
}

/** A resend under the same network id is one message for the network. */
function sentTwice({ log }: Evidence): readonly string[] {
  const texts = log.records.flatMap((record) => (record.kind === 'accepted' ? [record.text] : []));
  return repeated(texts).map((text) => `${text} was sent under two network ids`);
}

function toldWrongly(evidence: Evidence): readonly string[] {
  const arrivals = evidence.receivers.flatMap((receiver) => receiver.arrivals);
  const events = new Map(expected(evidence).map(({ text, events: types }) => [text, types]));
  const wrong = arrivals.filter(({ text, type }) => !events.get(text ?? '')?.includes(type));
  const ids = new Map<string, Set<string>>();
  const note = (key: string, id: string): void => {
    ids.set(key, (ids.get(key) ?? new Set()).add(id));
  };
  for (const { text, type, eventId, deliveryId, receiver, messageId } of arrivals) {
    note(`${type} ${text} has event ids`, eventId);
    note(`${type} ${text} has message ids`, messageId);
    note(`${type} ${text} has delivery ids at ${receiver}`, deliveryId);
  }
  return [
    ...wrong.map(
      ({ receiver, type, text }) => `${receiver} was told of ${type} ${text}, which did not happen`,
    ),
    ...[...ids].filter(([, set]) => set.size > 1).map(([what, set]) => `${what} ${[...set].join(', ')}`),
  ];
}

/** At most two requests at once, and 120 begun within any minute, whichever processes send them. */
function tooMany({ name, arrivals }: Receiver, windowMs: number): readonly string[] {
  const starts = arrivals.map(({ startedAt }) => startedAt).toSorted((a, b) => a - b);
  const crowded = starts.find((start, index) => (starts[index + 120] ?? Infinity) - start < windowMs);
  const most = Math.max(0, ...arrivals.map((arrival) => atOnce(arrivals, arrival)));
  return [
    ...(crowded === undefined ? [] : [`${name} got more than 120 requests within a minute`]),
    ...(most > 2 ? [`${name} got ${most} requests at once`] : []),
  ];
}

function atOnce(arrivals: readonly Arrival[], { startedAt }: Arrival): number {
  return arrivals.filter((other) => other.startedAt <= startedAt && startedAt < (other.endedAt ?? Infinity))
    .length;
}

/** One owner at any time, by the network's own log. */
function ownedTwice({ log }: Evidence): readonly string[] {
  const connections = log.connections.toSorted((a, b) => a.openedAt - b.openedAt || a.id - b.id);
  const overlapping = connections.filter((one, index) =>
    connections
      .slice(index + 1)
      .some((other) => other.instanceId === one.instanceId && other.openedAt < (one.closedAt ?? Infinity)),
  );
  return [
    ...overlapping.map(
      ({ id, instanceId, owner }) => `${instanceId} had another owner beside ${owner} (${id})`,
    ),
    ...log.replaced.map(({ first, second }) => `connection ${second} replaced ${first}`),
  ];
}

function repeated(values: readonly string[]): readonly string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))];
}
