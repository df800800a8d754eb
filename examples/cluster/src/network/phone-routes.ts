import { Hono } from 'hono';
import * as z from 'zod';
import { isTrunklineError } from '@trunkline/core';
import type { Network } from './network.ts';

const scanned = z.object({ phoneNumber: z.string().optional(), profileName: z.string().optional() });
const received = z.object({
  from: z.string(),
  text: z.string().optional(),
  groupNetworkId: z.string().optional(),
  file: z
    .object({
      type: z.enum(['image', 'document', 'audio', 'video']),
      content: z.base64().transform((text) => new Uint8Array(Buffer.from(text, 'base64'))),
      mimeType: z.string().optional(),
      filename: z.string().optional(),
    })
    .optional(),
});
const group = z.object({ name: z.string(), participantsCount: z.int() });

/**
 * The phones, for other processes: `POST /phones/{instance}/{action}` takes the action's input as JSON, and responds
 * with what the action returns.
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
  action('receive', received, (id, message) => phone(id).receive(message));
  action('addGroup', group, (id, named) => phone(id).addGroup(named));
  action('leaveGroup', z.object({ networkId: z.string() }), (id, { networkId }) =>
    phone(id).leaveGroup(networkId),
  );
  action('drop', z.unknown(), (id) => phone(id).drop());
  action('unlink', z.unknown(), (id) => phone(id).unlink());
  action('fail', z.unknown(), (id) => phone(id).fail());
  // The gateway's own wish, for an instance that has no connection.
  action('forget', z.unknown(), unlink);
  app.get('/log', (c) => c.json(log()));
  app.onError((error, c) => {
    if (!isTrunklineError(error)) return c.json({ message: error.message }, 500);
    return c.json({ code: error.code, message: error.message }, 409);
  });
  return app;
}
