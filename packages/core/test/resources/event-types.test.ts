import { readEvent } from '@trunkline/receiver';
import type {
  InstanceEventType,
  MessageEventType,
  WebhookEvent,
  WebhookEventOf,
  WebhookEventType,
  WebhookInstance,
  WebhookMessage,
} from '@trunkline/receiver';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { ContactSummary } from '../../src/domain/contact/contact.ts';
import type { Endpoint } from '../../src/domain/endpoint/endpoint.ts';
import type {
  EventType,
  InstanceEventType as DomainInstanceEventType,
  MessageEventType as DomainMessageEventType,
} from '../../src/domain/event/event.ts';
import type { Capability, Instance } from '../../src/domain/instance/instance.ts';
import type { Restriction } from '../../src/domain/instance/restriction.ts';
import type { Message, MessageMedia } from '../../src/domain/message/message.ts';
import { eventBody } from '../../src/resources/event.ts';
import { instanceEventObject } from '../../src/resources/instance.ts';
import type { InstanceResource, WithoutEmpty } from '../../src/resources/instance.ts';
import { messageResource } from '../../src/resources/message.ts';
import type { MessageResource } from '../../src/resources/message.ts';
import { exampleInstance, exampleMessage } from '../support/examples.ts';

// The compiler is the test: `toEqualTypeOf` fails if either type has a field, a value or a null that the other lacks.
// One type is derived from the domain; the other type is promised to receivers.

/** A domain object as the API returns it: snake_case, with times (`…At`) as text. */
type Json<Domain> = {
  readonly [Name in keyof Domain & string as SnakeCase<Name>]: Name extends `${string}At`
    ? TimeAsText<Domain[Name]>
    : Domain[Name];
};
type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${SnakeCase<Rest>}`
    : `_${Lowercase<First>}${SnakeCase<Rest>}`
  : Name;
type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;
type TimeAsText<Time> = Time extends number ? string : Time;
/** The API's form of an object whose numbers are all times. */
type TimesAsText<Domain> = { readonly [Name in keyof Domain]: TimeAsText<Domain[Name]> };
/** Turns an intersection into a single object type, because `toEqualTypeOf` distinguishes the two. */
type Flat<Type> = { [Name in keyof Type]: Type[Name] };

type Internal = 'workspaceId' | 'networkId' | 'uploadId' | 'traceparent';
type SharedOf<Domain> = Omit<Domain, Internal>;

describe('the types that receivers import', () => {
  it('name the events that the service sends', () => {
    expectTypeOf<WebhookEventType>().toEqualTypeOf<EventType>();
    expectTypeOf<MessageEventType>().toEqualTypeOf<DomainMessageEventType>();
    expectTypeOf<InstanceEventType>().toEqualTypeOf<DomainInstanceEventType>();
  });

  it('have the message of the REST API, which is what the domain can hold', () => {
    expectTypeOf<WebhookMessage>().toEqualTypeOf<MessageResource>();
    expectTypeOf<WebhookMessage>().toEqualTypeOf<
      Flat<
        Omit<Json<SharedOf<Message>>, 'media' | 'contact' | 'send_at'> & {
          readonly send_at?: string;
          readonly media: Json<SharedOf<MessageMedia>> | null;
          readonly contact: Json<ContactSummary> | null;
        }
      >
    >();
  });

  it('have the instance of the REST API without what is empty, which is what the domain can hold', () => {
    expectTypeOf<WebhookInstance>().toEqualTypeOf<
      Flat<
        Pick<InstanceResource, 'id' | 'name' | 'status'> &
          WithoutEmpty<Omit<InstanceResource, 'id' | 'name' | 'status'>>
      >
    >();
    expectTypeOf<InstanceResource>().toEqualTypeOf<
      Flat<
        Json<Pick<Instance, Exclude<keyof Instance & CamelCase<keyof InstanceResource>, 'restriction'>>> & {
          readonly restriction: TimesAsText<Restriction> | null;
          readonly paired: boolean;
          readonly has_proxy: boolean;
          readonly has_credentials: boolean;
          readonly capabilities: readonly Capability[];
        }
      >
    >();
  });

  it('have the webhook under test as its endpoint is', () => {
    expectTypeOf<WebhookEventOf<'webhook.test'>['data']>().toEqualTypeOf<{
      readonly webhook: Pick<Endpoint, 'id' | 'url' | 'description'>;
    }>();
  });

  it('do not allow an event whose data belong to another type', () => {
    const envelope = { id: 'evt_1', occurredAt: 0, workspaceId: 'ten_1' };
    const message = messageResource(exampleMessage());
    const instance = instanceEventObject(exampleInstance(), []);
    expect(eventBody({ ...envelope, type: 'message.received', data: { message } })).toContain(message.id);
    // @ts-expect-error: the data of another type
    eventBody({ ...envelope, type: 'message.received', data: { instance } });
    // @ts-expect-error: a field that the receiver's types lack
    eventBody({ ...envelope, type: 'instance.error', data: { instance, cause: 'unknown' } });
    // @ts-expect-error: without what happened to the message
    eventBody({ ...envelope, type: 'message.deleted', data: { message } });
    // @ts-expect-error: a type that there is not
    eventBody({ ...envelope, type: 'message.starred', data: { message } });
  });
});

describe('an event that was sent', () => {
  it('reads back with the null size and checksum of a file that never came', () => {
    const neverCame = exampleMessage({
      type: 'image',
      media: {
        available: false,
        mimeType: 'image/jpeg',
        size: null,
        filename: 'image.jpg',
        sha256: null,
      },
    });
    const body = eventBody({
      id: 'evt_1',
      type: 'message.received',
      occurredAt: 1,
      workspaceId: 'ten_1',
      data: { message: messageResource(neverCame) },
    });
    const { media } = read(body, 'message.received').data.message;
    expectTypeOf(media?.size).toEqualTypeOf<number | null | undefined>();
    expect(media).toEqual({
      available: false,
      mime_type: 'image/jpeg',
      size: null,
      filename: 'image.jpg',
      sha256: null,
    });
  });

  it('leaves out of an instance only nulls and empty lists', () => {
    const created = exampleInstance({ statusChangedAt: null });
    expect(Object.keys(instanceEventObject(created, []))).toEqual([
      'id',
      'name',
      'status',
      'network',
      'paired',
      'has_proxy',
      'has_credentials',
      'created_at',
      'updated_at',
    ]);
    const unnamed = exampleInstance({ phoneNumber: '34911111111', profileName: '', connectedAt: 0 });
    expect(instanceEventObject(unnamed, ['text'])).toMatchObject({
      phone_number: '34911111111',
      profile_name: '',
      paired: true,
      capabilities: ['text'],
      connected_at: '1970-01-01T00:00:00.000+00:00',
    });
  });
});

function read<Type extends WebhookEventType>(body: string, type: Type): WebhookEventOf<Type> {
  const result = readEvent(body);
  if (!result.ok || !isOf(result.event, type)) throw new Error(`${body} is not an event of ${type}`);
  return result.event;
}

function isOf<Type extends WebhookEventType>(
  event: WebhookEvent,
  type: Type,
): event is WebhookEvent & WebhookEventOf<Type> {
  return event.type === type;
}
