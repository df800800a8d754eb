import { withDeadline } from '@trunkline/core/spi/gateway';
import type { Clock } from '@trunkline/core/spi/gateway';
import type { InstanceSettings } from '../options.ts';

/** How long a query waits for its response by default: a third of core's time limit for a send. */
const QUERY_TIMEOUT_MS = 20_000;
/** The share of this time after which a query counts as unanswered. */
const SHARE = 0.95;

/** Rejects if the query, whose response is about `what`, gets no response in time. */
export type InTime = <Result>(what: string, query: Promise<Result>) => Promise<Result>;

/** How long Baileys waits for the response to a query. */
export function queryTimeoutMs({ socket }: InstanceSettings): number {
  return socket.defaultQueryTimeoutMs ?? QUERY_TIMEOUT_MS;
}

/** Ends each wait before Baileys does, because Baileys takes a missing response for one that found nothing. */
export function queriesInTime(clock: Clock, settings: InstanceSettings): InTime {
  const ms = queryTimeoutMs(settings) * SHARE;
  return (what, query) => withDeadline(clock, { what, ms }, query);
}
