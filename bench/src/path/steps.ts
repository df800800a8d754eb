import { median, percentile, plain } from '../figures.ts';
import type { Call } from './recorder.ts';

/** The calls of one message, and the times outside of the process. */
export interface Path {
  readonly calls: readonly Call[];
  /** When the text was posted, or written at the network. */
  readonly begunAt: number;
  /** When the response to the POST arrived; null for a received text. */
  readonly respondedAt: number | null;
  /** When the network had the text; null for a received text, because only its beginning is known. */
  readonly onWireAt: number | null;
  /** When the receiver got the webhook's request. */
  readonly webhookAt: number;
}

/** A wait between two moments, or an operation. */
interface Step {
  readonly what: string;
  readonly ms: number;
  /** The operation's call; null for a wait between two calls. */
  readonly call: Call | null;
}

/** The steps of a sent text, from its POST until the outcome of its webhook is recorded. */
export function outboundSteps(path: Path): readonly Step[] {
  const { calls, begunAt, onWireAt } = path;
  const send = first(calls, 'connection.send');
  const accept = first(calls, 'messages.accept');
  const head = lastBefore(calls, /^messages\.queue/, send.from);
  const change = firstAfter(calls, /^messages\.change$/, send.to);
  return [
    wait('the request is read and checked', begunAt, accept.from),
    ...operation(accept),
    wait('the sender wakes', accept.to, head.from),
    ...operation(head),
    wait('the message is prepared for the gateway', head.to, send.from),
    wait('the gateway encrypts and writes it, until the network has it', send.from, onWireAt ?? Number.NaN),
    wait('the gateway knows that the network has it', onWireAt ?? Number.NaN, send.to),
    wait('the sender knows the outcome', send.to, change.from),
    ...operation(change),
    ...webhookSteps(path, change.to),
  ];
}

/** The steps of a received text, from the network until the outcome of its webhook is recorded. */
export function inboundSteps(path: Path): readonly Step[] {
  const { calls, begunAt } = path;
  const receive = first(calls, 'messages.receive');
  return [
    wait('the network writes it, and the gateway decrypts it', begunAt, receive.from),
    ...operation(receive),
    ...webhookSteps(path, receive.to),
  ];
}

function webhookSteps({ calls, webhookAt }: Path, storedAt: number): readonly Step[] {
  const request = firstAfter(calls, /^webhookSender\.send$/, storedAt);
  const claim = lastBefore(calls, CLAIMS, request.from);
  const record = firstAfter(calls, OUTCOMES, request.to);
  return [
    wait('the dispatcher wakes', storedAt, claim.from),
    ...operation(claim),
    wait('the webhook is signed', claim.to, request.from),
    wait('the request is sent, until the receiver has it', request.from, webhookAt),
    wait('the receiver responds', webhookAt, request.to),
    wait('the dispatcher knows the outcome', request.to, record.from),
    ...operation(record),
  ];
}

const CLAIMS = /^deliveries\.(claim|completeAndClaim)$/;
const OUTCOMES = /^deliveries\.(complete|completeAndClaim)$/;

/** Whether the outcome of the webhook that arrived at `webhookAt` is recorded. */
export function isRecorded(calls: readonly Call[], webhookAt: number): boolean {
  return calls.some(({ name, from, to }) => OUTCOMES.test(name) && from >= webhookAt && to < Infinity);
}

/** A wait may have ended before it began, because an operation's signal arrives before its result. */
function wait(what: string, from: number, to: number): Step {
  return { what, ms: Math.max(0, to - from), call: null };
}

function operation(call: Call): readonly Step[] {
  return [{ what: `\`${call.name}\``, ms: call.to - call.from, call }];
}

function first(calls: readonly Call[], name: string): Call {
  return found(
    calls.find((call) => call.name === name),
    name,
  );
}

function firstAfter(calls: readonly Call[], name: RegExp, at: number): Call {
  return found(
    calls.find((call) => name.test(call.name) && call.from >= at),
    name.source,
  );
}

function lastBefore(calls: readonly Call[], name: RegExp, at: number): Call {
  return found(
    calls.findLast((call) => name.test(call.name) && call.to <= at),
    name.source,
  );
}

function found(call: Call | undefined, name: string): Call {
  if (!call) throw new Error(`The path of the message has no call of ${name} where it was expected.`);
  return call;
}

/** The rows of a table: step, median ms, p99 ms, statements, round trips. Steps are those of the first path. */
export function stepRows(paths: readonly (readonly Step[])[]): readonly (readonly string[])[] {
  return (paths[0] ?? []).map(({ what }, index) => {
    const steps = paths.flatMap((path) => path[index] ?? []);
    return [what, ...msOf(steps.map(({ ms }) => ms)), ...countsOf(steps.flatMap(({ call }) => call ?? []))];
  });
}

export function msOf(values: readonly number[]): readonly [string, string] {
  return [plain(median(values), 1), plain(percentile(values, 0.99), 1)];
}

/** The rows of a table: operation, calls for each message, statements and round trips of a call. */
export function operationRows(paths: readonly Path[]): readonly (readonly string[])[] {
  const calls = paths.flatMap((path) => path.calls.filter(({ statements }) => statements > 0));
  return Array.from(
    Map.groupBy(calls, ({ name }) => name),
    ([name, ofName]): readonly string[] => [
      `\`${name}\``,
      plain(ofName.length / paths.length, 1),
      ...countsOf(ofName),
    ],
  );
}

function countsOf(calls: readonly Call[]): readonly [string, string] {
  if (calls.length === 0) return ['', ''];
  const mean = (count: (call: Call) => number): number =>
    calls.reduce((sum, call) => sum + count(call), 0) / calls.length;
  // SQLite has no round trips.
  const trips = mean((call) => call.trips);
  return [
    plain(
      mean(({ statements }) => statements),
      1,
    ),
    trips === 0 ? '' : plain(trips, 1),
  ];
}
