import * as z from 'zod';
import { until } from '@trunkline/test-support';
import { networkPhone } from '../../src/network-phone.ts';
import type { Receiver } from './receivers.ts';
import { API_KEY } from './test-cluster.ts';

const created = z.object({
  data: z.object({ id: z.string(), status: z.string(), secret: z.string().optional() }),
});
type Created = z.output<typeof created>['data'];

/** A server that does not respond within this time is considered dead. */
const RESPONSE_WITHIN_MS = 60_000;

/** Throws if the response has no data. */
export async function call(url: string, method: string, path: string, body?: object): Promise<Created> {
  return created.parse(await respond(url, method, path, body)).data;
}

async function respond(url: string, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    // Use a new connection for each request, like curl: a reused one may lead to a killed process.
    headers: {
      Authorization: `Bearer ${API_KEY}`,
      'Content-Type': 'application/json',
      Connection: 'close',
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(RESPONSE_WITHIN_MS),
  });
  const reply: unknown = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(reply)}`);
  return reply;
}

const qr = z.object({ data: z.object({ code: z.string() }) });

export async function qrCode(url: string, id: string): Promise<string> {
  return qr.parse(await respond(url, 'GET', `/instances/${id}/qr`)).data.code;
}

/** Registers the receivers' webhooks, and connects instances. Returns the ids of the instances. */
export async function setUp(
  { url, networkUrl }: { readonly url: string; readonly networkUrl: string },
  { receivers, instances }: { readonly receivers: readonly Receiver[]; readonly instances: number },
): Promise<readonly string[]> {
  for (const receiver of receivers) {
    const webhook = await call(url, 'POST', '/webhooks', { url: receiver.url, events: receiver.events });
    receiver.secret = webhook.secret ?? '';
  }
  return Promise.all(Array.from({ length: instances }, () => connectedInstance(url, networkUrl)));
}

async function connectedInstance(url: string, networkUrl: string): Promise<string> {
  const { id } = await call(url, 'POST', '/instances', {});
  await call(url, 'POST', `/instances/${id}/connect`);
  await until('it is connected', async () => {
    const { status } = await call(url, 'GET', `/instances/${id}`);
    // On a busy machine, the process may lose its lease or its connection before the scan. The phone then scans the
    // next QR.
    if (status === 'qr_required')
      await networkPhone(networkUrl, id)
        .scan()
        .catch(() => undefined);
    return status === 'connected';
  });
  return id;
}
