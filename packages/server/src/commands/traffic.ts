import type { TrafficPeriodQuery } from '@trunkline/http/client';
import type { Call, CommandHandler } from './command.ts';
import { accepted, remoteService } from './remote-service.ts';
import { list, one, traffic, webhookTraffic as attempts } from './service-shapes.ts';
import { table } from '../terminal/table.ts';

/** Prints the periods that have counts, oldest first. */
export const messageTraffic: CommandHandler = async (call) => {
  const service = await remoteService(call);
  const query = { instance: call.options.text('instance'), ...periodsIn(call) };
  const { data } = await accepted(service, service.client.traffic.messages(query, call), list(traffic));
  const columns = table(
    call.output,
    {
      from: (period) => period.start,
      received: (period) => period.received,
      sent: (period) => period.sent,
      delivered: (period) => period.delivered,
      read: (period) => period.read,
      'p50 ms': (period) => period.time_to_network.p50_ms,
      'p95 ms': (period) => period.time_to_network.p95_ms,
      failed: (period) => failuresIn(period.failed),
    },
    data.flatMap(({ periods }) => periods),
  );
  call.output.result({ data }, columns);
};

export const webhookTraffic: CommandHandler = async (call) => {
  const service = await remoteService(call);
  const asked = service.client.webhooks.traffic(call.argument('webhook'), periodsIn(call), call);
  const { data } = await accepted(service, asked, one(attempts));
  const columns = table(
    call.output,
    {
      from: (period) => period.start,
      succeeded: (period) => period.succeeded,
      'p50 ms': (period) => period.duration.p50_ms,
      'p95 ms': (period) => period.duration.p95_ms,
      failed: (period) => failuresIn(period.failed),
    },
    data.periods,
  );
  call.output.result({ data }, columns);
};

/** The casts are safe because the service validates the values. */
function periodsIn({ options }: Call): TrafficPeriodQuery {
  return {
    from: options.text('from'),
    to: options.text('to'),
    step: options.text('step') as TrafficPeriodQuery['step'],
  };
}

/** Such as `3 HTTP_5XX, 1 TIMEOUT`; null without failures. */
function failuresIn(failed: Readonly<Record<string, number>>): string | null {
  const counts = Object.entries(failed).map(([code, count]) => `${count} ${code}`);
  return counts.length === 0 ? null : counts.join(', ');
}
