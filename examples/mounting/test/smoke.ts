import { createClient, unwrap } from '@trunkline/http/client';
import type { TrunklineClient } from '@trunkline/http/client';
import { expect } from 'vitest';
import { eventually } from '@trunkline/test-support';

export interface SmokeTarget {
  readonly fetch: (url: string, init: RequestInit) => Response | Promise<Response>;
  readonly origin: string;
  readonly apiKey: string;
  /** Whether the process has all roles, and so also connects instances and sends webhooks. */
  readonly everyRole: boolean;
  /**
   * Whether the runtime closes the connection of a refused request without reading its body. A client that is still
   * sending may then see no response.
   */
  readonly cutsRefusedBodies?: boolean;
  /** Gets webhooks; if omitted, webhooks are registered but not sent. */
  readonly receiverUrl?: string | undefined;
}

/** Runs the same steps wherever the API is mounted. The error names the failed step. */
export async function smoke(target: SmokeTarget): Promise<void> {
  const client = clientOf(target);
  const { id } = unwrap(await client.instances.create({ name: 'Smoke' })).data;
  for (const { name, run } of STEPS) {
    try {
      await run({ target, client, id });
    } catch (error) {
      throw new Error(`The smoke test failed where it ${name}.`, { cause: error });
    }
  }
}

interface Facts {
  readonly target: SmokeTarget;
  readonly client: TrunklineClient;
  readonly id: string;
}

interface Step {
  /** Completes the sentence "The smoke test failed where it …". */
  readonly name: string;
  readonly run: (facts: Facts) => Promise<void>;
}

const STEPS: readonly Step[] = [
  {
    name: 'asks whose key it has',
    async run({ client }) {
      expect(unwrap(await client.apiKey.get()).data.workspace.name).toBe('Acme');
    },
  },
  {
    name: 'has no key, or a wrong one',
    async run({ target }) {
      const bare = await target.fetch(`${target.origin}/api/v1/instances`, {});
      expect([bare.status, bare.headers.get('WWW-Authenticate')]).toEqual([401, 'Bearer']);
      await bare.text();
      const wrong = clientOf({ ...target, apiKey: 'trk_wrong' });
      expect(await wrong.instances.list()).toMatchObject({ error: { code: 'INVALID_API_KEY', status: 401 } });
    },
  },
  {
    name: 'renames an instance',
    async run({ client, id }) {
      const renamed = unwrap(await client.instances.update(id, { name: 'Rauch äöü 烟' })).data;
      expect(renamed.name).toBe('Rauch äöü 烟');
      expect(unwrap(await client.instances.list()).data).toEqual([renamed]);
    },
  },
  {
    name: 'asks for what is not there',
    async run({ target, client }) {
      expect(await client.instances.get('ins_nobody')).toMatchObject({
        error: { code: 'INSTANCE_NOT_FOUND', status: 404 },
      });
      const { origin, apiKey } = target;
      const headers = { Authorization: `Bearer ${apiKey}`, 'X-Request-Id': 'smoke-1' };
      const nowhere = await target.fetch(`${origin}/api/v1/nowhere`, { headers });
      expect([nowhere.status, nowhere.headers.get('X-Request-Id')]).toEqual([404, 'smoke-1']);
      await nowhere.text();
      const put = await target.fetch(`${origin}/api/v1/instances`, { method: 'PUT', headers });
      expect(put.status).toBe(405);
      await put.text();
    },
  },
  {
    name: 'sends what is not valid',
    async run({ target, client }) {
      expect(await client.instances.create({ name: '' })).toMatchObject({
        error: { code: 'VALIDATION_FAILED', status: 422, details: { fields: { name: expect.anything() } } },
      });
      const sending = target.fetch(`${target.origin}/api/v1/instances`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${target.apiKey}`,
          'Content-Type': 'application/json',
          // Such a runtime closes the connection without notice, so later requests must not reuse it.
          ...(target.cutsRefusedBodies && { Connection: 'close' }),
        },
        body: JSON.stringify({ name: 'x'.repeat(1_048_576) }),
      });
      const large = await Promise.resolve(sending).catch((error: unknown) => {
        if (!target.cutsRefusedBodies) throw error;
        const cut = { code: expect.stringMatching(/^(EPIPE|ECONNRESET|UND_ERR_SOCKET)$/) };
        expect(error).toMatchObject({ message: 'fetch failed', cause: cut });
        return null;
      });
      if (!large) return;
      expect(large.status).toBe(413);
      await large.text();
    },
  },
  {
    name: 'registers and deletes a webhook',
    async run({ client }) {
      const input = { url: 'https://app.example.com/hook', events: ['message.sent'] } as const;
      const { id, secret } = unwrap(await client.webhooks.create(input)).data;
      expect(secret).toMatch(/^whsec_/);
      expect(unwrap(await client.webhooks.list()).data.map((webhook) => webhook.id)).toEqual([id]);
      unwrap(await client.webhooks.delete(id));
      expect(await client.webhooks.get(id)).toMatchObject({ error: { code: 'WEBHOOK_NOT_FOUND' } });
    },
  },
  {
    name: 'connects an instance',
    async run({ target, client, id }) {
      expect(unwrap(await client.instances.connect(id)).data.status).toBe('connecting');
      if (target.everyRole)
        await untilEqual(async () => unwrap(await client.instances.get(id)).data.status, 'connected');
    },
  },
  {
    name: 'sends a message twice with the same key',
    async run({ target, client, id }) {
      const message = { instance: id, to: '+1 555 0100', type: 'text', text: 'Hello' } as const;
      const sent = await client.messages.send(message, { idempotencyKey: 'smoke-1' });
      if (!target.everyRole) {
        expect(sent).toMatchObject({ error: { code: 'INSTANCE_NOT_CONNECTED', status: 409 } });
        return;
      }
      const { data } = unwrap(sent);
      const again = unwrap(await client.messages.send(message, { idempotencyKey: 'smoke-1' }));
      expect([again.replayed, again.data.id]).toEqual([true, data.id]);
      await untilEqual(async () => unwrap(await client.messages.get(data.id)).data.status, 'read');
    },
  },
  {
    name: 'lists messages',
    async run({ target, client }) {
      const texts: (string | null)[] = [];
      for await (const { text } of client.messages.iterate({ limit: 1 })) texts.push(text);
      expect(texts).toEqual(target.everyRole ? ['Hello'] : []);
    },
  },
  {
    name: 'streams events',
    async run({ target, client, id }) {
      const { data } = unwrap(await client.events.stream({ types: 'message.read' }));
      if (target.everyRole)
        unwrap(await client.messages.send({ instance: id, to: '+1 555 0100', type: 'text', text: 'Hello' }));
      // The first item is the stream's position, without an event.
      for await (const { event } of data) if (event?.type === 'message.read' || !target.everyRole) break;
    },
  },
  {
    name: 'receives a webhook',
    async run({ target, client }) {
      if (target.receiverUrl === undefined) return;
      const webhook = unwrap(
        await client.webhooks.create({ url: target.receiverUrl, events: ['message.sent'] }),
      ).data;
      const { id } = unwrap(await client.webhooks.test(webhook.id)).data;
      await untilEqual(async () => unwrap(await client.deliveries.get(id)).data.status, 'success');
    },
  },
  {
    name: 'deletes the instance',
    async run({ target, client, id }) {
      // Only a process with connections can delete an instance.
      if (target.everyRole) expect(await client.instances.delete(id)).toMatchObject({ ok: true });
    },
  },
];

function clientOf({ origin, apiKey, fetch }: SmokeTarget): TrunklineClient {
  return createClient({ baseUrl: `${origin}/api/v1`, apiKey, fetch });
}

async function untilEqual(read: () => Promise<string>, expected: string): Promise<void> {
  await eventually(async () => expect(await read()).toBe(expected));
}
