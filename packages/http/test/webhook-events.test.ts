import { TracerProvider } from '@opentelemetry/sdk-trace';
import { describe, expect, test } from 'vitest';
import { silentLogger } from '@trunkline/core';
import { EVENT_TYPES, NAMEABLE_EVENT_TYPES } from '@trunkline/core/spi/http';
import { memoryMediaStore } from '@trunkline/core/testing';
import type { RecordedRequest } from '@trunkline/core/testing';
import { EVENT_BODIES } from '../src/schemas/webhook-events.ts';
import { declaredAt, escaped, validatorAt } from './document.ts';
import { idOf, startService } from './service.ts';
import type { Service } from './service.ts';

const PERSON = '15550123';
const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);

/** Makes every kind of event happen, in a chat and in a group. Returns the requests that the endpoint got. */
async function everyEvent(
  options: Parameters<typeof startService>[0] = {},
  fields: object = {},
): Promise<readonly RecordedRequest[]> {
  const service = await startService({
    media: memoryMediaStore(),
    logger: silentLogger,
    tracerProvider: new TracerProvider(),
    ...options,
  });
  const { call } = await service.newWorkspace();
  const endpoint = {
    url: 'https://hooks.example.com/',
    events: NAMEABLE_EVENT_TYPES,
    description: null,
    ...fields,
  };
  const webhook = idOf((await call('POST', '/webhooks', { json: endpoint })).json);
  expect((await call('POST', `/webhooks/${webhook}/test`)).status).toBe(202);

  const instance = await service.connected(call);
  for (const to of ['15550100', '15550003'])
    await call('POST', '/messages', { json: { instance, to, type: 'text', text: 'Hello' } });
  await service.clock.advance(5_000);
  // The network refuses what is sent to this person.
  await service.sandbox.phone(instance).receive({ from: '15550003', text: 'React to this' });
  await service.clock.advance(1_000);
  const [received] = JSON.parse((await call('GET', '/messages?direction=inbound')).text).data;
  await call('PUT', `/messages/${received.id}/reaction`, { json: { emoji: '👍' } });
  await doOnThePhone(service, instance);
  await service.sandbox.phone(instance).unlink();
  await service.sandbox.phone(await service.connected(call)).fail();
  const asked = idOf((await call('POST', '/instances')).json);
  await service.during(call('POST', `/instances/${asked}/connect`));
  await service.sandbox.phone(asked).scan({ passkey: true });
  await service.clock.advance(60_000);
  return service.receivers.requests;
}

async function doOnThePhone({ sandbox, clock }: Service, instance: string): Promise<void> {
  const phone = sandbox.phone(instance);
  const groupNetworkId = await phone.addGroup({ name: 'Choir', participantsCount: 9 });
  const place = {
    kind: 'location',
    payload: { latitude: 40.41, longitude: -3.7, name: null, address: null },
  } as const;
  await phone.receive({ from: null, sender: { networkId: 'lid-1', name: 'Ada' }, detail: place });
  const file = { type: 'image', content: PNG, delayMs: 90_000 } as const;
  await phone.receive({ from: PERSON, file });
  const picture = await phone.receive({ from: PERSON, file: { type: 'image', content: PNG } });
  await clock.advance(1_000);
  const inHd = { type: 'image', content: Uint8Array.from([...PNG, 1]) } as const;
  await phone.updateMedia({ about: picture, from: PERSON, file: inHd });
  await phone.write({ to: PERSON, text: 'Written with the phone' });
  for (const group of [{}, { groupNetworkId }]) {
    const about = await phone.receive({ from: PERSON, text: 'Hi', ...group });
    await clock.advance(1_000);
    await phone.react({ about, from: PERSON, emoji: '👍' });
    await phone.react({ about, emoji: null });
    await phone.edit({ about, from: PERSON, text: 'Good evening' });
    await phone.delete({ about, from: PERSON });
    await phone.call({ from: PERSON, video: true, ...group });
    await phone.receiveUndecryptable({ from: PERSON, reason: 'no_key', ...group });
  }
  // The service requests the file again, and the file arrives late.
  await clock.advance(5 * 60_000);
}

const operationAt = (type: string): string => `#/webhooks/${escaped(type)}/post`;

interface Parameter {
  readonly pointer: string;
  readonly name: string;
  readonly required: boolean;
}

function parametersOf(type: string): readonly Parameter[] {
  return (declaredAt(operationAt(type))?.parameters ?? []).map(({ $ref: pointer = '' }) => {
    const { name = '', required = false } = declaredAt(pointer) ?? {};
    return { pointer, name, required };
  });
}

/** Leaves out Content-Type, which OpenAPI declares with the body. */
function sorted(names: Iterable<string>): readonly string[] {
  return [...names].filter((name) => name !== 'Content-Type').toSorted();
}

describe('the webhooks of the OpenAPI document', () => {
  test('cover all events, and an endpoint gets exactly the declared data of each', async () => {
    const requests = await everyEvent();
    const seen = new Map<string, number>();
    for (const { body } of requests) {
      const event = JSON.parse(body);
      const validate = validatorAt(`${operationAt(event.type)}/requestBody/content/application~1json/schema`);
      expect(validate(event) ? [] : validate.errors, body).toEqual([]);
      // The document lets future versions add fields to events, but this version must send only the declared fields.
      const declared = EVENT_BODIES.find(({ type }) => type === event.type);
      expect(declared?.schema.safeParse(event).error, body).toBeUndefined();
      seen.set(event.type, (seen.get(event.type) ?? 0) + 1);
    }
    expect([...seen.keys()].toSorted()).toEqual([...EVENT_TYPES].toSorted());
    for (const type of ['message.reaction', 'message.edited', 'message.deleted', 'call.received'])
      expect(seen.get(type), type).toBeGreaterThan(1);
  });

  test('have the headers that an endpoint gets, and no other', async () => {
    for (const { headers, body } of await everyEvent({}, { trace_context: true })) {
      const parameters = parametersOf(JSON.parse(body).type);
      expect(sorted(parameters.map(({ name }) => name))).toEqual(sorted(headers.keys()));
      for (const { pointer, name } of parameters) {
        const validate = validatorAt(`${pointer}/schema`);
        expect(validate(headers.get(name)) ? [] : validate.errors, name).toEqual([]);
      }
    }
  });

  test('require the headers that an endpoint gets without trace_context and Standard Webhooks', async () => {
    const [request] = await everyEvent({ standardWebhooks: false });
    const required = parametersOf('webhook.test').filter((parameter) => parameter.required);
    expect(sorted(required.map(({ name }) => name))).toEqual(sorted(request?.headers.keys() ?? []));
  });

  test.each(EVENT_BODIES.map((body) => [body.type, body] as const))(
    'have an example of %s, without extra fields',
    (_, { schema, example }) => {
      expect(schema.parse(example)).toEqual(example);
    },
  );
});
