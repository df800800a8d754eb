import { createHash } from 'node:crypto';
import { API_KEY } from './test-client.ts';

/** How many of a webhook's deliveries of each kind are read with attempts, and how many files are read concurrently. */
const SOME = 50;

interface Page {
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly meta?: { readonly next_cursor?: string | null };
}

/**
 * The data that a workspace can read from a server: all pages of each list, some deliveries with their attempts, and
 * the files as hashes. Two servers return the same if their databases are equal.
 */
export async function everythingServed(url: string): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const headers = { Authorization: `Bearer ${API_KEY}` };
  const get = async (path: string): Promise<Response> => {
    const response = await fetch(url + path, { headers });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  const all = async (path: string): Promise<Page['data']> => {
    const rows: Readonly<Record<string, unknown>>[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = (await (await get(cursor === '' ? path : `${path}&cursor=${cursor}`)).json()) as Page; // the specification defines this type
      rows.push(...page.data);
      cursor = page.meta?.next_cursor ?? null;
    }
    return rows;
  };
  const served: Record<string, readonly unknown[]> = {};
  const instances = await all('/api/v1/instances');
  served['instances'] = instances;
  for (const { id } of instances) {
    const path = `/api/v1/instances/${String(id)}`;
    served[`groups of ${String(id)}`] = await all(`${path}/groups`);
    served[`history of ${String(id)}`] = await all(`${path}/history?limit=100`);
    served[`events of ${String(id)}`] = await all(`${path}/events?limit=100`);
  }
  const messages = await all('/api/v1/messages?origin=any&limit=100');
  served['messages'] = messages;
  const withFile = messages.filter(
    ({ media }) => (media as { available: boolean } | null)?.available === true,
  ); // the specification defines this type
  const files: unknown[] = [];
  for (let first = 0; first < withFile.length; first += SOME) {
    const some = withFile.slice(first, first + SOME).map(({ id }) => String(id));
    const hashes = some.map(async (id) => [id, await hashOf(await get(`/api/v1/messages/${id}/media`))]);
    files.push(...(await Promise.all(hashes)));
  }
  served['files'] = files;
  const webhooks = await all('/api/v1/webhooks');
  served['webhooks'] = webhooks;
  for (const { id } of webhooks) {
    const path = `/api/v1/webhooks/${String(id)}/deliveries`;
    const deliveries = await all(`${path}?limit=100`);
    served[`deliveries of ${String(id)}`] = deliveries;
    const open = deliveries.filter(({ status }) => status !== 'success');
    served[`details of ${String(id)}`] = await Promise.all(
      [...open.slice(0, SOME), ...open.slice(-SOME), ...deliveries.slice(0, SOME)].map(async (delivery) => {
        const response = await get(`/api/v1/webhook-deliveries/${String(delivery['id'])}`);
        const { data } = (await response.json()) as { data: object }; // the specification defines this type
        // The reason for waiting depends on the time of the request.
        return { ...data, waiting: null };
      }),
    );
  }
  return served;
}

async function hashOf(response: Response): Promise<string> {
  return createHash('sha256')
    .update(new Uint8Array(await response.arrayBuffer()))
    .digest('hex');
}
