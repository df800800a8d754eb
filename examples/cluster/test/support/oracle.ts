import type { NetworkLog } from '../../src/network/network-log.ts';
import { isOutage } from './disturbances.ts';
import type { Interruption, Outage } from './disturbances.ts';
import type { Load } from './load.ts';
import type { Arrival, Receiver } from './receivers.ts';
import type { Stay } from './visitors.ts';

/** Observations from outside the service: by clients, receivers and the network. */
export interface Evidence {
  readonly load: Load;
  readonly receivers: readonly Receiver[];
  readonly log: NetworkLog;
  readonly interruptions: readonly Interruption[];
  readonly stays: readonly Stay[];
  readonly statuses: ReadonlyMap<string, readonly string[]>;
}

/** How long after an outage a process may take to close its connections and send what it had claimed. */
const WAKING_UP_MS = 2_000;

/** The statuses of a message after `queued`, by the last digits of its recipient (docs/sandbox.md). */
const ENDS: Readonly<Record<string, readonly string[]>> = { '0001': ['sent'], '0003': ['failed'] };
const READ = ['sent', 'delivered', 'read'];

function steps(to: string): readonly string[] {
  return ENDS[to.slice(-4)] ?? READ;
}

interface Expected {
  readonly text: string;
  readonly events: readonly string[];
}

function expected({ load }: Evidence): readonly Expected[] {
  return [
    ...load.accepted.map(({ text, to }) => ({ text, events: steps(to).map((step) => `message.${step}`) })),
    ...load.inbound.map((text) => ({ text, events: ['message.received'] })),
  ];
}

/** Events and messages that were promised but have not arrived. */
export function missing(evidence: Evidence): readonly string[] {
  const { receivers, log } = evidence;
  const sent = new Set(log.records.flatMap((record) => (record.kind === 'accepted' ? [record.text] : [])));
  return expected(evidence).flatMap(({ text, events }) => [
    ...(events.includes('message.sent') && !sent.has(text) ? [`${text} was not sent`] : []),
    ...receivers.flatMap((receiver) =>
      events
        .filter((type) => receiver.events.includes(type) && !hasTaken(receiver, { text, type }))
        .map((type) => `${receiver.name} was not notified of ${type} ${text}`),
    ),
  ]);
}

function hasTaken(receiver: Receiver, { text, type }: { text: string; type: string }): boolean {
  return receiver.arrivals.some((arrival) => arrival.taken && arrival.text === text && arrival.type === type);
}

export function violations(evidence: Evidence, windowMs: number): readonly string[] {
  const outagesOfSenders = evidence.interruptions
    .filter(isOutage)
    .filter((outage) => outage.process.startsWith('webhooks'));
  return [
    ...evidence.load.complaints.map((complaint) => `a client got ${complaint}`),
    ...acceptedTwice(evidence),
    ...sentTwice(evidence),
    ...reportedWrongly(evidence),
    ...evidence.receivers.flatMap((receiver) => [
      ...receiver.refused.map((reason) => `${receiver.name} was sent what is not signed: ${reason}`),
      ...tooMany(receiver, outagesOfSenders, windowMs),
    ]),
    ...ownedTwice(evidence),
    ...turnedBack(evidence),
  ];
}

function acceptedTwice({ load }: Evidence): readonly string[] {
  const ids = load.accepted.map(({ messageId }) => messageId);
  return repeated(ids).map((id) => `${id} was the response to two messages`);
}

/** To the network, a resend under the same network id is the same message. */
function sentTwice({ log }: Evidence): readonly string[] {
  const texts = log.records.flatMap((record) => (record.kind === 'accepted' ? [record.text] : []));
  return repeated(texts).map((text) => `${text} was sent under two network ids`);
}

function reportedWrongly(evidence: Evidence): readonly string[] {
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
      ({ receiver, type, text }) => `${receiver} was notified of ${type} ${text}, which did not happen`,
    ),
    ...[...ids].filter(([, set]) => set.size > 1).map(([what, set]) => `${what} ${[...set].join(', ')}`),
  ];
}

const STEPS = ['queued', 'sent', 'delivered', 'read'];

/** Finds messages whose status moved backwards, or did not end as the recipient's number determines. */
function turnedBack({ load, statuses }: Evidence): readonly string[] {
  const goesOn = (from: string, to: string): boolean =>
    from === to || (to === 'failed' ? from === 'queued' : STEPS.indexOf(from) < STEPS.indexOf(to));
  return load.accepted.flatMap(({ messageId, text, to }) => {
    const seen = statuses.get(messageId) ?? [];
    const wrong = seen.some((status, index) => index > 0 && !goesOn(seen[index - 1] ?? '', status));
    const last = steps(to).at(-1);
    return [
      ...(wrong ? [`${text} was ${seen.join(', then ')}`] : []),
      ...(seen.at(-1) === last ? [] : [`${text} ended as ${seen.at(-1)}, not as ${last}`]),
    ];
  });
}

/**
 * A receiver may get at most two concurrent requests, and at most 120 within any minute, from all processes together. A
 * process that was frozen or cut off from Postgres sends its claims late, which may add two requests per outage.
 */
function tooMany(
  { name, arrivals }: Receiver,
  outages: readonly Outage[],
  windowMs: number,
): readonly string[] {
  const starts = arrivals.map(({ startedAt }) => startedAt).toSorted((a, b) => a - b);
  const late = (start: number): number =>
    2 * outages.filter(({ from, to }) => from <= start + windowMs && start <= to + WAKING_UP_MS).length;
  const crowded = starts.find(
    (start, index) => (starts[index + 120 + late(start)] ?? Infinity) - start < windowMs,
  );
  const most = Math.max(0, ...arrivals.map((arrival) => atOnce(arrivals, arrival)));
  return [
    ...(crowded === undefined ? [] : [`${name} got more than 120 requests within a minute`]),
    ...(most > 2 ? [`${name} got ${most} concurrent requests`] : []),
  ];
}

function atOnce(arrivals: readonly Arrival[], { startedAt }: Arrival): number {
  return arrivals.filter((other) => other.startedAt <= startedAt && startedAt < (other.endedAt ?? Infinity))
    .length;
}

/**
 * Finds instances with two owners at the same time, according to the network's log. A frozen process is excused: it
 * cannot close its connections when its leases end, so the network ends them when the next owner connects.
 */
function ownedTwice({ log, interruptions }: Evidence): readonly string[] {
  const owners = new Map(log.connections.map(({ id, owner }) => [id, owner]));
  const stoodStill = (owner: string | undefined, at: number): boolean =>
    interruptions.some(
      (one) =>
        one.kind === 'frozen' && one.process === owner && one.from <= at && at <= one.to + WAKING_UP_MS,
    );
  return log.replaced
    .filter(({ at, first }) => !stoodStill(owners.get(first), at))
    .map(({ first, second }) => `${owners.get(second)} connected what ${owners.get(first)} still had open`);
}

function repeated(values: readonly string[]): readonly string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))];
}
