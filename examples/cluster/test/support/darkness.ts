import type { Period } from './disturbances.ts';
import type { Evidence } from './oracle.ts';
import type { Stay } from './visitors.ts';

/** A period in which an instance could not send, although it was linked and meant to be online. */
interface Darkness extends Stay {
  /** The kinds of the disturbances at that time, such as `killed`, or `nothing`. */
  readonly cause: string;
}

/** The maximum delay from a disturbance to its effect. */
const NOTICED_WITHIN_MS = 1_000;

/**
 * The periods in which instances should have been able to send but were not: without a connection, while their process
 * was frozen or cut off from Postgres, or while Postgres was down.
 */
export function darkness(evidence: Evidence): readonly Darkness[] {
  return evidence.stays.flatMap((stay) =>
    gaps(stay, brightTimes(evidence, stay.instance)).map((gap) => {
      const dark = { instance: stay.instance, ...gap };
      return { ...dark, cause: causeOf(evidence, dark) };
    }),
  );
}

/** How long each message was first in its instance's queue, and the disturbances during that time. */
export function waits({ load, log, ...rest }: Evidence): readonly Darkness[] {
  const sentAt = new Map(
    log.records.flatMap((record) => (record.kind === 'accepted' ? [[record.text, record.at]] : [])),
  );
  const sent = load.accepted
    .map(({ instance, text, at }) => ({ instance, from: at, to: sentAt.get(text) ?? at }))
    .toSorted((a, b) => a.to - b.to);
  const before = new Map<string, number>();
  return sent.map(({ instance, from, to }) => {
    const wait = { instance, from: Math.min(to, Math.max(from, before.get(instance) ?? 0)), to };
    before.set(instance, to);
    return { ...wait, cause: causeOf({ load, log, ...rest }, wait) };
  });
}

export function length({ from, to }: Period): number {
  return to - from;
}

function brightTimes({ log, interruptions }: Evidence, instance: string): readonly Period[] {
  return log.connections
    .filter(({ instanceId, connectedAt }) => instanceId === instance && connectedAt !== null)
    .flatMap(({ owner, connectedAt, closedAt }) => {
      const held = { from: connectedAt ?? 0, to: closedAt ?? Infinity };
      const dark = interruptions.filter(
        (one) =>
          one.kind === 'database' ||
          ((one.kind === 'frozen' || one.kind === 'cut_off') && one.process === owner),
      );
      return gaps(held, dark);
    });
}

function gaps({ from, to }: Period, others: readonly Period[]): readonly Period[] {
  const found: Period[] = [];
  let at = from;
  for (const other of others.toSorted((a, b) => a.from - b.from)) {
    if (other.to <= at) continue;
    if (other.from >= to) break;
    if (other.from > at) found.push({ from: at, to: other.from });
    at = other.to;
  }
  if (at < to) found.push({ from: at, to });
  return found;
}

/** Adds "both gateways" if no undisturbed gateway was left to take over. */
function causeOf({ interruptions }: Evidence, { instance, from, to }: Stay): string {
  const causes = interruptions
    .filter((one) => one.from <= to && from <= one.to + NOTICED_WITHIN_MS)
    .filter(
      (one) =>
        one.kind === 'database' ||
        (one.kind === 'dropped' ? one.instanceId === instance : one.process.startsWith('gateway')),
    );
  if (causes.length === 0) return 'nothing';
  const kinds = [...new Set(causes.map(({ kind }) => kind))].toSorted().join(' and ');
  const gateways = new Set(causes.flatMap((one) => ('process' in one ? [one.process] : [])));
  return gateways.size > 1 ? `${kinds}, both gateways` : kinds;
}
