// Sends POST /messages as fast as it is answered, in a process of its own.
import autocannon from 'autocannon';
import { serveParent } from '../child.ts';
import { messageBody } from './request.ts';
import type { Target } from './request.ts';

export interface LoadFigures {
  readonly perSecond: number;
  readonly answered: number;
  readonly p50: number;
  readonly p99: number;
}

interface Load extends Target {
  readonly seconds: number;
  readonly connections: number;
}

async function send({ url, token, instance, seconds, connections }: Load): Promise<LoadFigures> {
  const result = await autocannon({
    url: `${url}/api/v1/messages`,
    method: 'POST',
    // The sender replaces it by another one in each request.
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': '[<id>]',
    },
    idReplacement: true,
    body: messageBody(instance),
    connections,
    duration: seconds,
  });
  const others = Object.entries(result.statusCodeStats ?? {}).filter(([status]) => status !== '202');
  if (others.length > 0 || result.errors > 0) {
    throw new Error(`Not all were accepted: ${JSON.stringify(others)}, ${result.errors} errors.`);
  }
  const answered = result['2xx'];
  return {
    perSecond: answered / result.duration,
    answered,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}

serveParent(
  'ready',
  (load) => send(load as Load),
  () => {},
); // the parent's own
