import type { Evidence } from './oracle.ts';

/** What a run was about, in a line for whoever reads its log. */
export function numbersOf({ load, receivers, log, outages }: Evidence): string {
  const arrivals = receivers.flatMap((receiver) => receiver.arrivals);
  const repeats = log.sends.length - new Set(log.sends.map(({ networkId }) => networkId)).size;
  const sentAt = new Map(
    log.records.flatMap((record) => (record.kind === 'accepted' ? [[record.text, record.at]] : [])),
  );
  const waits = load.accepted
    .flatMap(({ text, at }) => (sentAt.get(text) ?? at) - at)
    .toSorted((a, b) => a - b);
  return [
    `${load.accepted.length} messages accepted, ${load.inbound.length} from phones`,
    `${log.sends.length} requests to send, ${repeats} of them repeated, ${log.connections.length} connections, ${log.replaced.length} replaced`,
    `from a 202 to the network ${waits[Math.floor(waits.length / 2)]} ms in the median, ${waits.at(-1)} ms at most`,
    `${arrivals.length} requests to webhooks, ${new Set(arrivals.map(({ deliveryId }) => deliveryId)).size} deliveries`,
    `${outages.length} outages of one process`,
  ].join('; ');
}
