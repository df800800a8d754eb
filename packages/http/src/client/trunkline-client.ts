import type {
  ApiKeyResource,
  ConnectInput,
  DeliveryDetailResource,
  DeliveryQuery,
  DeliveryResource,
  GroupResource,
  InstanceInput,
  InstanceResource,
  MediaType,
  MessageQuery,
  MessageResource,
  QrResource,
  SendTextInput,
  WebhookChanges,
  WebhookInput,
  WebhookResource,
  WebhookResourceWithSecret,
} from '@trunkline/core';
import type { CallResult } from './call-result.ts';

/**
 * The REST API of a workspace from afar, grouped as `WorkspaceApi` of `@trunkline/core` is. Every call resolves with a
 * result; the iterators alone throw (`ClientError`).
 */
export interface TrunklineClient {
  readonly apiKey: {
    /** Whose key this is and what it may do. */
    get(options?: CallOptions): Call<ApiKeyResource>;
  };
  readonly instances: {
    /** Oldest first. */
    list(options?: CallOptions): Call<readonly InstanceResource[]>;
    create(input?: InstanceInput, options?: CallOptions): Call<InstanceResource>;
    get(id: string, options?: CallOptions): Call<InstanceResource>;
    /** Changes the name. */
    update(id: string, input: InstanceInput, options?: CallOptions): Call<InstanceResource>;
    delete(id: string, options?: CallOptions): Call<undefined>;
    /** Starts to connect: poll, or wait for `instance.connected`. */
    connect(id: string, input?: ConnectInput, options?: CallOptions): Call<InstanceResource>;
    disconnect(id: string, options?: CallOptions): Call<InstanceResource>;
    logout(id: string, options?: CallOptions): Call<InstanceResource>;
    qr(id: string, options?: CallOptions): Call<QrResource>;
    /** Ordered by name. */
    groups(id: string, options?: CallOptions): Call<readonly GroupResource[]>;
  };
  readonly messages: {
    /** One page, newest first; the next one is that of `nextCursor`. */
    list(query?: MessageQuery, options?: CallOptions): Promise<CallResult<MessagePage>>;
    /** Every message, page by page as they are needed. Throws a ClientError. */
    iterate(query?: MessageQuery, options?: CallOptions): AsyncIterable<MessageResource>;
    /** Queues a text or a file. However often the request has to be made, the message goes out once. */
    send(message: SendTextInput | SendFileInput, options?: SendOptions): Promise<CallResult<Sent>>;
    get(id: string, options?: CallOptions): Call<MessageResource>;
    /** Downloads the file of a message, as it is read: its name stands in the message. */
    media(id: string, options?: CallOptions): Promise<CallResult<MediaFile>>;
  };
  readonly webhooks: {
    /** Newest first. */
    list(options?: CallOptions): Promise<CallResult<Webhooks>>;
    /** The answer is the only one that tells the secret. */
    create(input: WebhookInput, options?: CallOptions): Call<WebhookResourceWithSecret>;
    get(id: string, options?: CallOptions): Call<WebhookResource>;
    update(id: string, changes: WebhookChanges, options?: CallOptions): Call<WebhookResource>;
    delete(id: string, options?: CallOptions): Call<undefined>;
    /** The old secret stops at once. */
    rotateSecret(id: string, options?: CallOptions): Call<WebhookResourceWithSecret>;
    /** Queues a `webhook.test` event. */
    test(id: string, options?: CallOptions): Call<DeliveryResource>;
    /** One page, newest first; the next one is that of `nextCursor`. */
    deliveries(id: string, query?: DeliveryQuery, options?: CallOptions): Promise<CallResult<DeliveryPage>>;
    /** Every delivery, page by page as they are needed. Throws a ClientError. */
    iterateDeliveries(
      id: string,
      query?: DeliveryQuery,
      options?: CallOptions,
    ): AsyncIterable<DeliveryResource>;
    /** Queues up to 100 failed or exhausted deliveries again; repeat while `remaining` is above 0. */
    retryFailed(
      id: string,
      options?: CallOptions,
    ): Call<{ readonly requeued: number; readonly remaining: number }>;
  };
  readonly deliveries: {
    get(id: string, options?: CallOptions): Call<DeliveryDetailResource>;
    /** Queues one more attempt. */
    retry(id: string, options?: CallOptions): Call<DeliveryResource>;
  };
}

/** The result of a call that answers `data` and nothing else. */
type Call<Data> = Promise<CallResult<{ readonly data: Data }>>;

export interface CallOptions {
  /** Ends the call, its waits included, with the code ABORTED: `AbortSignal.timeout(10_000)`. */
  readonly signal?: AbortSignal | undefined;
}

export interface SendOptions extends CallOptions {
  /**
   * Made for each call unless given. Give one of your own, such as the number of an order, when the send has to stay
   * the same beyond the call: after a crash, or after NETWORK_ERROR.
   */
  readonly idempotencyKey?: string | undefined;
}

/** A file to send. One on disk need not be in memory: `await openAsBlob(path)` of `node:fs`. */
export interface SendFileInput {
  readonly instance: string;
  readonly to: string;
  readonly type: MediaType;
  readonly file: Blob;
  readonly caption?: string | undefined;
  /** What the recipient sees; by default the file's own name, or one that is made. */
  readonly filename?: string | undefined;
}

export interface MediaFile {
  /** To be read to its end, or cancelled. */
  readonly content: ReadableStream<Uint8Array>;
  readonly mimeType: string;
  /** In bytes. */
  readonly size: number;
}

export interface Sent {
  readonly data: MessageResource;
  /** Whether this key was used for the same message before, so that nothing new was queued. */
  readonly replayed: boolean;
}

export interface MessagePage {
  readonly data: readonly MessageResource[];
  readonly perPage: number;
  /** Towards older messages. */
  readonly nextCursor: string | null;
  /** Towards newer messages. */
  readonly prevCursor: string | null;
}

export interface DeliveryPage {
  readonly data: readonly DeliveryResource[];
  readonly perPage: number;
  /** Towards older deliveries. */
  readonly nextCursor: string | null;
}

export interface Webhooks {
  readonly data: readonly WebhookResource[];
  /** Whether an enabled endpoint has delivered successfully. */
  readonly configured: boolean;
}
