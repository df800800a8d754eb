import { describe, expect, test } from 'vitest';
import { EVENT_TYPES } from '@trunkline/core/spi/http';
import { EVENT_BODIES } from '../src/schemas/webhook-events.ts';
import { declaredAt, escaped, validatorAt } from './document.ts';
import { everyEvent } from './every-event.ts';

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
    const { requests } = await everyEvent();
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
    const { requests } = await everyEvent({}, { trace_context: true });
    for (const { headers, body } of requests) {
      const parameters = parametersOf(JSON.parse(body).type);
      expect(sorted(parameters.map(({ name }) => name))).toEqual(sorted(headers.keys()));
      for (const { pointer, name } of parameters) {
        const validate = validatorAt(`${pointer}/schema`);
        expect(validate(headers.get(name)) ? [] : validate.errors, name).toEqual([]);
      }
    }
  });

  test('require the headers that an endpoint gets without trace_context and Standard Webhooks', async () => {
    const {
      requests: [request],
    } = await everyEvent({ standardWebhooks: false });
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
