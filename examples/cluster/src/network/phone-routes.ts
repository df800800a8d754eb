import { Hono } from 'hono';
import * as z from 'zod';
import { isTrunklineError } from '@trunkline/core';
import type { Network } from './network.ts';

const scanned = z.object({
  phoneNumber: z.string().optional(),
  profileName: z.string().optional(),
  passkey: z.union([z.boolean(), z.literal('then_code')]).optional(),
});
const file = z.object({
  type: z.enum(['image', 'document', 'audio', 'video']),
  content: z.base64().transform((text) => new Uint8Array(Buffer.from(text, 'base64'))),
  mimeType: z.string().optional(),
  filename: z.string().optional(),
});
const written = z.object({
  text: z.string().optional(),
  groupNetworkId: z.string().optional(),
  file: file.optional(),
});
const received = written.extend({ from: z.string() });
const echo = written.extend({ to: z.string().optional() });
const deed = z.object({
  about: z.string(),
  from: z.string().optional(),
  message: z
    .object({
      author: z.string().nullable(),
      groupNetworkId: z.string().nullable(),
      contact: z.string().nullable(),
    })
    .optional(),
});
const reaction = deed.extend({ emoji: z.string().nullable() });
const vote = deed.extend({ options: z.array(z.string()) });
const edit = deed.extend({ text: z.string() });
const mediaUpdate = deed.extend({ file });
const happening = z.object({ from: z.string(), groupNetworkId: z.string().optional() });
const call = happening.extend({ video: z.boolean().optional() });
const undecryptable = happening.extend({ reason: z.enum(['no_key', 'view_once']).optional() });
const group = z.object({ name: z.string(), participantsCount: z.int() });
const offer = z.object({ name: z.string(), asksAdmin: z.boolean().optional() });

/**
 * The phones, for other processes: `POST /phones/{instance}/{action}` with the action's input as JSON. The response has
 * the action's result.
 */
export function phoneRoutes({ phone, unlink, log }: Pick<Network, 'phone' | 'unlink' | 'log'>): Hono {
  const app = new Hono();
  const action = <Input>(
    name: string,
    schema: z.ZodType<Input, unknown>,
    act: (instanceId: string, input: Input) => Promise<string | void>,
  ): void => {
    app.post(`/phones/:instance/${name}`, async (c) => {
      const input = schema.safeParse(await c.req.json());
      if (!input.success) return c.json({ message: z.prettifyError(input.error) }, 422);
      return c.json({ response: (await act(c.req.param('instance'), input.data)) ?? null });
    });
  };
  action('scan', scanned, (id, profile) => phone(id).scan(profile));
  action('signPasskey', z.unknown(), async (id) => JSON.stringify(await phone(id).signPasskey()));
  action('receive', received, (id, message) => phone(id).receive(message));
  action('write', echo, (id, message) => phone(id).write(message));
  action('react', reaction, (id, done) => phone(id).react(done));
  action('vote', vote, (id, done) => phone(id).vote(done));
  action('edit', edit, (id, done) => phone(id).edit(done));
  action('delete', deed, (id, done) => phone(id).delete(done));
  action('updateMedia', mediaUpdate, (id, update) => phone(id).updateMedia(update));
  action('call', call, (id, offered) => phone(id).call(offered));
  action('receiveUndecryptable', undecryptable, (id, message) => phone(id).receiveUndecryptable(message));
  action('addGroup', group, (id, named) => phone(id).addGroup(named));
  action('offerGroup', offer, (id, named) => phone(id).offerGroup(named));
  action('askToJoin', z.object({ networkId: z.string(), phoneNumber: z.string() }), (id, asked) =>
    phone(id).askToJoin(asked.networkId, asked.phoneNumber),
  );
  action('leaveGroup', z.object({ networkId: z.string() }), (id, { networkId }) =>
    phone(id).leaveGroup(networkId),
  );
  action('drop', z.unknown(), (id) => phone(id).drop());
  action('unlink', z.unknown(), (id) => phone(id).unlink());
  action('fail', z.unknown(), (id) => phone(id).fail());
  // For an instance that has no connection: unlinks from the gateway's side.
  action('forget', z.unknown(), unlink);
  app.get('/log', (c) => c.json(log()));
  app.onError((error, c) => {
    if (!isTrunklineError(error)) return c.json({ message: error.message }, 500);
    return c.json({ code: error.code, message: error.message }, 409);
  });
  return app;
}
