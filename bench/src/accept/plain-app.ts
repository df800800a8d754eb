// The same stack without Trunkline: checks the key and the body, makes an id, calls a function that stores the message,
// and responds.
import { hash, randomBytes } from 'node:crypto';
import { Hono } from 'hono';
import * as z from 'zod';
import { newId } from '../storages.ts';

export interface PlainMessage {
  readonly id: string;
  readonly instanceId: string;
  readonly to: string;
  readonly text: string;
  readonly createdAt: number;
  readonly idempotencyKey: string;
  readonly fingerprint: string;
}

export const TOKEN: string = `trk_${randomBytes(20).toString('hex')}`;

const KEYS = new Map([[hash('sha256', TOKEN), { scopes: new Set(['messages:send']) }]]);
const input = z.object({
  instance: z.string().min(1).max(40),
  to: z.string().min(1).max(64),
  type: z.enum(['text', 'image', 'document', 'audio', 'video']),
  text: z.string().min(1).max(4096),
});

/** `store` resolves when the response may be sent. */
export function plainApp(store: (message: PlainMessage) => Promise<void>): Hono {
  const app = new Hono().basePath('/api/v1');
  app.post('/messages', async (c) => {
    const authorization = c.req.header('Authorization') ?? '';
    const key = KEYS.get(hash('sha256', authorization.slice('Bearer '.length)));
    if (!key?.scopes.has('messages:send')) return c.json({ error: { code: 'INVALID_API_KEY' } }, 401);
    const idempotencyKey = c.req.header('Idempotency-Key') ?? '';
    if (!/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) return c.json({ error: {} }, 422);
    const text = await c.req.text();
    const read = input.safeParse(JSON.parse(text));
    if (!read.success) return c.json({ error: { code: 'VALIDATION_FAILED' } }, 422);

    const createdAt = Date.now();
    const message: PlainMessage = {
      id: newId('msg', createdAt),
      instanceId: read.data.instance,
      to: read.data.to.replaceAll(/\D/g, ''),
      text: read.data.text,
      createdAt,
      idempotencyKey,
      fingerprint: hash('sha256', text),
    };
    await store(message);
    return c.json({ data: resource(message) }, 202);
  });
  return app;
}

/** Like the real resource, without its newer fields. */
function resource({ id, instanceId, to, text, createdAt }: PlainMessage): object {
  const at = `${new Date(createdAt).toISOString().slice(0, -1)}+00:00`;
  return {
    id,
    instance_id: instanceId,
    direction: 'outbound',
    type: 'text',
    status: 'queued',
    to,
    from: null,
    group_id: null,
    text,
    caption: null,
    media: null,
    error: null,
    created_at: at,
    queued_at: at,
    sent_at: null,
    delivered_at: null,
    read_at: null,
    failed_at: null,
    received_at: null,
  };
}
