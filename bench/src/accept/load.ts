// Sends POST /messages as fast as the responses arrive.
import autocannon from 'autocannon';
import type { Request } from 'autocannon';
import { serveParent } from '../child.ts';
import { messageBody } from './request.ts';
import type { Target } from './request.ts';

export interface LoadFigures {
  readonly perSecond: number;
  readonly responded: number;
  readonly p50: number;
  readonly p99: number;
}

export interface Load {
  readonly targets: readonly Target[];
  readonly seconds: number;
  readonly connections: number;
}

async function send({ targets, seconds, connections }: Load): Promise<LoadFigures> {
  const each = await Promise.all(
    targets.map((target) => sendTo(target, { seconds, connections: connections / targets.length })),
  );
  const sum = (figure: keyof LoadFigures): number => each.reduce((total, one) => total + one[figure], 0);
  return {
    perSecond: sum('perSecond'),
    responded: sum('responded'),
    p50: sum('p50') / each.length,
    p99: Math.max(...each.map(({ p99 }) => p99)),
  };
}

async function sendTo(
  { url, token, instances }: Target,
  { seconds, connections }: Omit<Load, 'targets'>,
): Promise<LoadFigures> {
  const requests = instances.map((instance): Request => ({ body: messageBody(instance) }));
  let opened = 0;
  const result = await autocannon({
    url: `${url}/api/v1/messages`,
    method: 'POST',
    // autocannon replaces `[<id>]` with a new id in each request.
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': '[<id>]',
    },
    idReplacement: true,
    requests,
    // Each connection begins with another instance, or all would move from one to the next together.
    setupClient(client) {
      const first = opened++ % requests.length;
      client.setRequests([...requests.slice(first), ...requests.slice(0, first)]);
    },
    connections,
    duration: seconds,
  });
  const others = Object.entries(result.statusCodeStats ?? {}).filter(([status]) => status !== '202');
  if (others.length > 0 || result.errors > 0) {
    throw new Error(`Not all were accepted: ${JSON.stringify(others)}, ${result.errors} errors.`);
  }
  const responded = result['2xx'];
  return {
    perSecond: responded / result.duration,
    responded,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}

serveParent(
  'ready',
  (load) => send(load as Load),
  () => {},
); // the parent sends a `Load`
