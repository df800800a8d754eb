import { describe, expect, test } from 'vitest';
import { ROUTES } from '../src/routes/all-routes.ts';
import { declaredAt, validatorAt } from './document.ts';
import { idOf, startService } from './service.ts';

interface BodySchema {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}

const BODIES = ROUTES.flatMap(({ body }) => (body === undefined ? [] : [body.name])).map((name) => {
  const pointer = `#/components/schemas/${name}`;
  const schema: BodySchema = JSON.parse(JSON.stringify(declaredAt(pointer)));
  const { properties = {}, required = [] } = schema;
  return { name, optional: Object.keys(properties).filter((field) => !required.includes(field)), pointer };
});

describe('null for an optional field of a JSON body', () => {
  test.each(BODIES)('is allowed by the OpenAPI document in $name', ({ optional, pointer }) => {
    for (const field of optional) {
      const isValid = validatorAt(`${pointer}/properties/${field}`)(null);
      expect(isValid, field).toBe(true);
    }
  });

  test('counts as left out', async () => {
    const service = await startService();
    const { call } = await service.newWorkspace();
    const instance = await service.connected(call);
    const sent = await call('POST', '/messages', {
      json: {
        instance,
        to: '15550100',
        type: 'text',
        text: 'hi',
        reply_to: null,
        link_preview: null,
        voice: null,
        caption: null,
      },
    });
    expect(sent.status).toBe(202);
    expect(
      (
        await call('POST', '/instances', {
          json: { name: null, proxy_url: null, credentials: null, pace: null },
        })
      ).status,
    ).toBe(201);
    const kept = await call('PATCH', `/instances/${instance}`, { json: { name: null } });
    expect(kept.json.data?.name).toEqual((await call('GET', `/instances/${instance}`)).json.data?.name);

    const url = 'https://example.com/hook';
    const json = { url, events: ['message.sent'], description: 'Ours', trace_context: null };
    const created = await call('POST', '/webhooks', { json });
    expect(created.status).toBe(201);
    const unchanged = { url: null, events: null, status: null, trace_context: null };
    const target = `/webhooks/${idOf(created.json)}`;
    const patched = await call('PATCH', target, { json: unchanged });
    expect(patched.json.data).toMatchObject({ url, events: ['message.sent'], status: 'enabled' });
    expect(patched.json.data?.description).toBe('Ours');
    const cleared = await call('PATCH', target, { json: { description: null } });
    expect(cleared.json.data?.description).toBeNull();
  });

  test('is refused for a field that is required', async () => {
    const service = await startService();
    const { call } = await service.newWorkspace();
    const seen = await call('POST', '/messages', {
      json: { instance: null, to: '15550100', type: 'text', text: 'hi' },
    });
    expect(seen).toMatchObject({ status: 422, code: 'VALIDATION_FAILED' });
  });
});
