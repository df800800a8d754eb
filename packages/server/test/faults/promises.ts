import { INJECTED, MODES } from './faults.ts';
import type { Failing } from './faults.ts';
import { HANDLER } from './simulated-service.ts';
import type { LogLine } from './simulated-service.ts';
import { GOOD_URL, OTHER_URL, simulate } from './simulation.ts';
import type { Case, Happened, ListedMessage } from './simulation.ts';

/** The promises, each with its letter in the matrix when it is broken. */
export const PROMISES = {
  D: 'Nothing accepted is lost, and everything flows again 90 s after the fault.',
  F: 'No message fails for good because of a fault that passes.',
  2: 'Nothing is sent, stored or announced twice.',
  H: 'Every request is answered within a minute, with an error in the shape of the specification.',
  S: 'A warning or an error names the cause, or the start or the stop rejects with it.',
  N: 'No line is repeated more than 3 times a minute about the same operation or the same thing.',
  I: 'Other numbers and endpoints are not delayed.',
  B: 'Nothing is called without a pause.',
  T: 'The service starts, or fails to, within 40 s; it stops within 30 s, and closes its storage.',
  U: 'No rejection is unhandled.',
} as const;

export type Letter = keyof typeof PROMISES;

/** The broken promises, each with its evidence. */
export interface Verdict {
  readonly broken: ReadonlyMap<Letter, readonly string[]>;
  /** Operations with a call that met the fault. */
  readonly met: ReadonlySet<string>;
  readonly called: ReadonlySet<string>;
  readonly calledForOne: ReadonlySet<string>;
  readonly busiestSecond: number;
  readonly lines: readonly LogLine[];
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const ANSWER_WITHIN_MS = 60 * SECOND;
/** Operations on all stored data: each of their calls has a time limit, but the whole operation does not. */
const THROUGH_ALL: ReadonlySet<string> = new Set(['admin.erasePerson', 'admin.resealSecrets']);
const STOP_WITHIN_MS = 30 * SECOND;
/** A service gives up a hanging call after 35 s. */
const START_WITHIN_MS = 40 * SECOND;
/** How late the neighbour's events may be while the busy instance has a fault. */
const DELAY_MS = 15 * SECOND;
const MOST_CALLS_A_SECOND = 1_000;
const MOST_LINES_A_MINUTE = 3;

/** Simulates a case, and checks every promise. */
export async function check(given: Case): Promise<Verdict> {
  return brokenPromises(await simulate(given));
}

function brokenPromises(happened: Happened): Verdict {
  const broken = new Map<Letter, string[]>();
  const breaks = (letter: Letter, why: string): void => {
    const reasons = broken.get(letter) ?? [];
    broken.set(letter, reasons);
    if (reasons.length < 20) reasons.push(why);
  };
  checkMessages(happened, breaks);
  checkEvents(happened, breaks);
  checkRequests(happened, breaks);
  checkLines(happened, breaks);
  checkOthers(happened, breaks);
  const { given, faults, outside, startsAndStops, unhandled, phase } = happened;
  const endless = faults.endless();
  if (endless !== null) breaks('B', `${endless} is called without a pause`);
  if (faults.busiestSecond() > MOST_CALLS_A_SECOND)
    breaks('B', `${faults.busiestSecond()} calls in a second`);
  for (const ms of startsAndStops)
    if (ms === null || ms > (phase === 'start' ? START_WITHIN_MS : STOP_WITHIN_MS))
      breaks('T', `a start or a stop took ${ms} ms`);
  if (outside.closed() === 0) breaks('T', 'the storage was not closed');
  for (const reason of unhandled) breaks('U', String(reason));
  return {
    broken,
    met: new Set(given.filter((fault) => faults.hits(fault) > 0).map(({ operation }) => operation.name)),
    called: faults.called,
    busiestSecond: faults.busiestSecond(),
    calledForOne: faults.calledForOne,
    lines: outside.lines,
  };
}

function isAbout({ instance_id, text, caption }: ListedMessage, instance: string, words: string): boolean {
  return instance_id === instance && (text ?? caption) === words;
}

type Breaks = (letter: Letter, why: string) => void;

function checkMessages(
  { traffic, surroundings, messages, statuses, numbers }: Happened,
  breaks: Breaks,
): void {
  for (const name of traffic.unfinished()) breaks('D', `still in vain: ${name}`);
  const byId = new Map(messages.map((message) => [message.id, message]));
  for (const { id, instance, text } of traffic.accepted) {
    const sent = surroundings.network.accepted(instance).filter((message) => message.text === text);
    const message = byId.get(id);
    if (message?.status === 'failed') breaks('F', `${text} failed: ${message.error?.code}`);
    else if (sent.length === 0 || message?.status === 'queued')
      breaks('D', `${text} was not sent (${message?.status})`);
    if (sent.length > 1) breaks(2, `${text} was sent ${sent.length} times`);
  }
  for (const { instance, text, hasFile } of traffic.written) {
    const stored = messages.filter(
      (message) => isAbout(message, instance, text) && message.direction === 'inbound',
    );
    if (text === 'to be erased') continue;
    if (stored.length === 0) breaks('D', `${text} was not stored`);
    if (stored.length > 1) breaks(2, `${text} was stored ${stored.length} times`);
    if (hasFile && stored.some(({ media }) => !media?.available))
      breaks('D', `the file of ${text} is missing`);
  }
  const wanted = {
    [numbers.busy]: 'connected',
    [numbers.neighbour]: 'connected',
    [numbers.paused]: 'connected',
    [numbers.away]: 'connected',
    [numbers.loggedOut]: 'logged_out',
    [numbers.unlinked]: 'logged_out',
    [numbers.deleted]: 'gone',
  };
  for (const [id, status] of Object.entries(wanted)) {
    const name = Object.entries(numbers).find(([, other]) => other === id)?.[0];
    if (statuses.get(id) !== status) breaks('D', `the number ${name} is ${statuses.get(id)}, not ${status}`);
  }
}

function checkEvents({ traffic, outside, messages, retrying }: Happened, breaks: Breaks): void {
  /** The ids and the receivers of each event about each message. */
  const said = new Map<string, { readonly ids: Set<string>; readonly by: Set<string> }>();
  for (const { by, event } of outside.received) {
    if (!('message' in event.data)) continue;
    const key = `${event.type} ${event.data.message.id}`;
    const known = said.get(key) ?? { ids: new Set(), by: new Set() };
    said.set(key, known);
    known.ids.add(event.id);
    known.by.add(by);
  }
  const expected = [
    ...traffic.accepted.map(({ id, text }) => ({ id, text, type: 'message.sent' })),
    ...traffic.written.flatMap(({ instance, text }) => {
      const stored = messages.find((message) => isAbout(message, instance, text));
      return stored ? [{ id: stored.id, text, type: 'message.received' }] : [];
    }),
  ];
  for (const { id, text, type } of expected) {
    if (text === 'to be erased') continue;
    const event = said.get(`${type} ${id}`);
    for (const receiver of [GOOD_URL, OTHER_URL, HANDLER]) {
      if (event?.by.has(receiver)) continue;
      if ([...(event?.ids ?? [])].some((eventId) => retrying.has(`${receiver} ${eventId}`))) continue;
      if (messages.find((message) => message.id === id)?.status === 'failed') continue;
      breaks('D', `${receiver} did not get ${type} of ${text}`);
    }
  }
  for (const [key, { ids }] of said) {
    if (/^message\.(sent|received|failed) /.test(key) && ids.size > 1)
      breaks(2, `${key} has ${ids.size} events`);
  }
}

function checkRequests({ traffic, probedAt }: Happened, breaks: Breaks): void {
  for (const { name, startedAt, endedAt, status, flaw } of traffic.requests) {
    const took = endedAt === null ? null : endedAt - startedAt;
    const late = took === null || took > ANSWER_WITHIN_MS;
    if (late && !THROUGH_ALL.has(name) && startedAt < probedAt) breaks('H', `${name} took ${took} ms`);
    else if (startedAt < probedAt && flaw !== null) breaks('H', `${name}: ${status}, ${flaw}`);
    if (startedAt >= probedAt && (took === null || status === 0 || status >= 500))
      breaks('D', `${name} still fails (${status}, ${took} ms)`);
  }
}

/** Checks S and N. Calls that were only slow, and refusals without an error, need not be logged. */
function checkLines({ given, faults, outside, faultAt, told, phase }: Happened, breaks: Breaks): void {
  const lines = outside.lines.filter(
    ({ at, level }) => at >= faultAt && (level === 'warn' || level === 'error'),
  );
  for (const fault of given) {
    const { kind }: Failing = MODES[fault.mode];
    const { name } = fault.operation;
    if (kind === 'refuse' || kind === 'delay' || name.startsWith('logger.') || faults.hits(fault) === 0)
      continue;
    const isNamed = ({ facts, message }: LogLine): boolean =>
      kind === 'hang'
        ? [message, facts['operation'], facts['reason'], causesOf(facts['err'])].some((said) =>
            String(said).includes(name),
          )
        : [facts['err'], facts['reason']].some((said) => causesOf(said).includes(`${INJECTED} in ${name}`));
    // A call that hangs while the process stops ends with the process, so any logged line is enough.
    if (phase === 'stop' && kind === 'hang' && lines.length > 0) continue;
    if (told.some((error) => causesOf(error).includes(name))) continue;
    if (!lines.some(isNamed))
      breaks('S', `no line names ${name}, of which ${faults.hits(fault)} calls failed`);
  }
  const times = new Map<string, number[]>();
  for (const { at, facts, message } of lines) {
    const about = ['operation', 'worker', 'instanceId', 'webhookId'].map((name) => facts[name]);
    const key = [message, ...about].join(' ');
    times.set(key, [...(times.get(key) ?? []), at]);
  }
  for (const [key, all] of times) {
    const most = Math.max(...all.map((from) => all.filter((at) => at >= from && at < from + MINUTE).length));
    if (most > MOST_LINES_A_MINUTE) breaks('N', `${most} a minute: ${key}`);
  }
}

function causesOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return `${error.message} ${error.cause === undefined ? '' : causesOf(error.cause)}`;
}

/** Checks that a fault of one instance does not delay its neighbour. */
function checkOthers({ given, numbers, traffic, outside, faultAt }: Happened, breaks: Breaks): void {
  if (given.length === 0 || !given.every(({ mode }) => 'ofOne' in MODES[mode])) return;
  const arrived = new Map<string, number>();
  for (const { by, at, event } of outside.received) {
    if (by !== OTHER_URL || !('message' in event.data)) continue;
    const { text, caption } = event.data.message;
    const key = `${event.type} ${text ?? caption}`;
    if (!arrived.has(key)) arrived.set(key, at);
  }
  const expected = [
    ...traffic.accepted.map(({ instance, text, at }) => ({
      instance,
      at,
      key: `message.sent ${text}`,
      text,
    })),
    ...traffic.written.map(({ instance, text, at }) => ({
      instance,
      at,
      key: `message.received ${text}`,
      text,
    })),
  ];
  for (const { instance, at, key, text } of expected) {
    if (instance !== numbers.neighbour || at < faultAt) continue;
    const late = (arrived.get(key) ?? Infinity) - at;
    if (late > DELAY_MS) breaks('I', `${key} of the neighbour came ${late} ms after ${text}`);
  }
}
