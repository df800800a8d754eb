import { expectTypeOf, it } from 'vitest';
import type {
  ApiKeyResource,
  ConnectInput,
  DeliveryDetailResource,
  DeliveryQuery,
  DeliveryResource,
  GroupResource,
  InstanceInput,
  NewInstanceInput,
  InstanceResource,
  MessageQuery,
  MessageResource,
  QrResource,
  SecretRotation,
  SendInput,
  SendMediaInput,
  SendStickerInput,
  WebhookChanges,
  WebhookInput,
  WebhookResource,
  WebhookResourceWithSecret,
} from '@trunkline/core';
import type {
  CallOptions,
  CallResult,
  MediaFile,
  SendFileInput,
  SendStickerFileInput,
  SendOptions,
  Sent,
  TrunklineClient,
} from '../../src/client/index.ts';

type Call<Data> = Promise<CallResult<{ readonly data: Data }>>;

// The compiler is the test. The derived types of the calls must equal these types, which are written by hand for the
// operations of 1.0.0. Later operations need no line here.
it('instances are called as typed', () => {
  interface Instances {
    readonly list: (options?: CallOptions) => Call<readonly InstanceResource[]>;
    readonly create: (input?: NewInstanceInput, options?: CallOptions) => Call<InstanceResource>;
    readonly get: (id: string, options?: CallOptions) => Call<InstanceResource>;
    readonly update: (id: string, input: InstanceInput, options?: CallOptions) => Call<InstanceResource>;
    readonly delete: (id: string, options?: CallOptions) => Call<undefined>;
    readonly connect: (id: string, input?: ConnectInput, options?: CallOptions) => Call<InstanceResource>;
    readonly disconnect: (id: string, options?: CallOptions) => Call<InstanceResource>;
    readonly logout: (id: string, options?: CallOptions) => Call<InstanceResource>;
    readonly qr: (id: string, options?: CallOptions) => Call<QrResource>;
    readonly groups: (id: string, options?: CallOptions) => Call<readonly GroupResource[]>;
  }
  expectTypeOf<Pick<TrunklineClient['instances'], keyof Instances>>().toEqualTypeOf<Instances>();
});

it('messages are called as typed', () => {
  type Messages = TrunklineClient['messages'];
  interface Page {
    readonly data: readonly MessageResource[];
    readonly perPage: number;
    readonly nextCursor: string | null;
    readonly prevCursor: string | null;
  }
  expectTypeOf<Messages['list']>().toEqualTypeOf<
    (query?: MessageQuery, options?: CallOptions) => Promise<CallResult<Page>>
  >();
  expectTypeOf<Messages['iterate']>().toEqualTypeOf<
    (query?: MessageQuery, options?: CallOptions) => AsyncIterable<MessageResource>
  >();
  expectTypeOf<Messages['send']>().toEqualTypeOf<
    (
      message: Exclude<SendInput, SendMediaInput | SendStickerInput> | SendFileInput | SendStickerFileInput,
      options?: SendOptions,
    ) => Promise<CallResult<Sent>>
  >();
  expectTypeOf<Messages['get']>().toEqualTypeOf<
    (id: string, options?: CallOptions) => Call<MessageResource>
  >();
  expectTypeOf<Messages['media']>().toEqualTypeOf<
    (id: string, options?: CallOptions) => Promise<CallResult<MediaFile>>
  >();
});

it('webhook endpoints, deliveries and the key are called as typed', () => {
  type Webhooks = TrunklineClient['webhooks'];
  interface List {
    readonly data: readonly WebhookResource[];
    readonly configured: boolean;
  }
  interface Page {
    readonly data: readonly DeliveryResource[];
    readonly perPage: number;
    readonly nextCursor: string | null;
  }
  expectTypeOf<Webhooks['list']>().toEqualTypeOf<(options?: CallOptions) => Promise<CallResult<List>>>();
  expectTypeOf<Webhooks['create']>().toEqualTypeOf<
    (input: WebhookInput, options?: CallOptions) => Call<WebhookResourceWithSecret>
  >();
  expectTypeOf<Webhooks['get']>().toEqualTypeOf<
    (id: string, options?: CallOptions) => Call<WebhookResource>
  >();
  expectTypeOf<Webhooks['delete']>().toEqualTypeOf<(id: string, options?: CallOptions) => Call<undefined>>();
  expectTypeOf<Webhooks['rotateSecret']>().toEqualTypeOf<
    (id: string, input?: SecretRotation, options?: CallOptions) => Call<WebhookResourceWithSecret>
  >();
  expectTypeOf<Webhooks['test']>().toEqualTypeOf<
    (id: string, options?: CallOptions) => Call<DeliveryResource>
  >();
  expectTypeOf<Webhooks['update']>().toEqualTypeOf<
    (id: string, changes: WebhookChanges, options?: CallOptions) => Call<WebhookResource>
  >();
  expectTypeOf<Webhooks['deliveries']>().toEqualTypeOf<
    (id: string, query?: DeliveryQuery, options?: CallOptions) => Promise<CallResult<Page>>
  >();
  expectTypeOf<Webhooks['iterateDeliveries']>().toEqualTypeOf<
    (id: string, query?: DeliveryQuery, options?: CallOptions) => AsyncIterable<DeliveryResource>
  >();
  expectTypeOf<Webhooks['retryFailedDeliveries']>().toEqualTypeOf<
    (id: string, options?: CallOptions) => Call<{ readonly requeued: number; readonly remaining: number }>
  >();
  type Deliveries = TrunklineClient['deliveries'];
  expectTypeOf<Deliveries['get']>().toEqualTypeOf<
    (id: string, options?: CallOptions) => Call<DeliveryDetailResource>
  >();
  expectTypeOf<Deliveries['retry']>().toEqualTypeOf<
    (id: string, options?: CallOptions) => Call<DeliveryResource>
  >();
  expectTypeOf<TrunklineClient['apiKey']['get']>().toEqualTypeOf<
    (options?: CallOptions) => Call<ApiKeyResource>
  >();
});
