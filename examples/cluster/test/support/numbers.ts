import { darkness, length, waits } from './darkness.ts';
import type { Evidence } from './oracle.ts';

const WORTH_A_LINE_MS = 2_000;

export function numbersOf(evidence: Evidence): string {
  const { load, receivers, log, interruptions, stays } = evidence;
  const arrivals = receivers.flatMap((receiver) => receiver.arrivals);
  const repeats = log.sends.length - new Set(log.sends.map(({ networkId }) => networkId)).size;
  const sentAt = new Map(
    log.records.flatMap((record) => (record.kind === 'accepted' ? [[record.text, record.at]] : [])),
  );
  const dark = darkness(evidence);
  const kinds = Object.groupBy(interruptions, ({ kind }) => kind);
  return [
    `${load.accepted.length} messages accepted, ${load.inbound.length} from phones`,
    `${log.sends.length} requests to send, ${repeats} of them repeated, ${log.connections.length} connections, ${log.replaced.length} replaced`,
    `${new Set(stays.map(({ instance }) => instance)).size} instances, connected ${stays.length} times`,
    `from a 202 to the network: ${summary(load.accepted.map(({ text, at }) => (sentAt.get(text) ?? at) - at))}`,
    `${arrivals.length} requests to webhooks, ${new Set(arrivals.map(({ deliveryId }) => deliveryId)).size} deliveries`,
    Object.entries(kinds)
      .map(([kind, some]) => `${kind}: ${some.length}`)
      .join(', '),
    ...byCause('dark', dark),
    ...byCause('the next message waited', waits(evidence)),
    ...dark
      .filter((period) => length(period) > WORTH_A_LINE_MS)
      .map(
        ({ instance, from, to, cause }) => `${instance} was dark from ${iso(from)} to ${iso(to)} (${cause})`,
      ),
  ].join('\n');
}

function byCause(
  what: string,
  periods: readonly { readonly from: number; readonly to: number; readonly cause: string }[],
): readonly string[] {
  return Object.entries(Object.groupBy(periods, ({ cause }) => cause))
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([cause, some = []]) => `${what} (${cause}): ${summary(some.map(length))}`);
}

function summary(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  return `${sorted.length} times, ${sorted[Math.floor(sorted.length / 2)]} ms in the median, ${sorted.at(-1)} ms at most`;
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
