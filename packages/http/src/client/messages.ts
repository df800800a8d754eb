import type {
  EditInput,
  EventPageQuery,
  MediaType,
  MessageActionResource,
  MessageQuery,
  MessageResource,
  ReactionInput,
  SendInput,
  SendMediaInput,
  SendStickerInput,
} from '@trunkline/core';
import type { CallResult } from './call-result.ts';
import { iterate } from './iterate.ts';
import type { RowOf } from './iterate.ts';
import type { Operation } from './operation.ts';
import { OPERATIONS } from './operations.ts';
import type { CallOptions, RemoteApi } from './remote-api.ts';
import { requestOnce } from './request-once.ts';
import type { SendOptions } from './request-once.ts';
import { pathOf } from './request.ts';
import type { ApiRequest } from './request.ts';
import type { Transport } from './transport.ts';

/** The calls about messages that the client adds to those of `RemoteApi`, or replaces. */
export interface MessageCalls {
  /** Every message. Requests each page when it is needed. Throws a ClientError on failure. */
  iterate(query?: MessageQuery, options?: CallOptions): AsyncIterable<MessageResource>;
  /** Every event about a message, newest first; pages and errors as in `iterate`. */
  iterateEvents(
    id: string,
    query?: EventPageQuery,
    options?: CallOptions,
  ): AsyncIterable<RowOf<RemoteApi['messages']['events']>>;
  /** Queues a message. It is sent once, even if the client repeats the request. */
  send(
    message: Exclude<SendInput, SendMediaInput | SendStickerInput> | SendFileInput | SendStickerFileInput,
    options?: SendOptions,
  ): Promise<CallResult<Sent>>;
  /** Queues a reaction to a message, which replaces the one before. Repeats as `send` does. */
  react(id: string, reaction: ReactionInput, options?: SendOptions): Promise<CallResult<Acted>>;
  /** Queues that the reaction to a message is taken back. */
  removeReaction(id: string, options?: SendOptions): Promise<CallResult<Acted>>;
  /** Queues an edit of a message, or changes a message that is not on its way yet. Repeats as `send` does. */
  edit(id: string, edit: EditInput, options?: SendOptions): Promise<CallResult<Acted>>;
  /** Queues that a sent message is deleted for everyone in its chat. Repeats as `send` does. */
  deleteForEveryone(id: string, options?: SendOptions): Promise<CallResult<Acted>>;
  /** Queues that a received message is marked as read, with the unread ones before it in its chat. Repeats as `send` does. */
  markRead(id: string, options?: SendOptions): Promise<CallResult<Acted>>;
  /** Downloads the file of a message as you read it. The file's name is in the message. */
  media(id: string, options?: CallOptions): Promise<CallResult<MediaFile>>;
}

/** A file to send. To send a file from disk without reading it into memory, use `openAsBlob` of `node:fs`. */
export interface SendFileInput {
  /** The id of the sending instance, `ins_…`. */
  readonly instance: string;
  /** A phone number, formatted or not, or the id of a group or a contact. */
  readonly to: string;
  /** The id of a message in the same chat, which the recipient sees quoted. */
  readonly reply_to?: string | undefined;
  /** When to send the message: an ISO 8601 time with its zone, at most 30 days ahead. By default, now. */
  readonly send_at?: string | undefined;
  /** How the recipient sees the file, such as `image`. The content of the file has to match. */
  readonly type: MediaType;
  /** The content of the file. */
  readonly file: Blob;
  /** The text below the file, at most 1,024 characters. */
  readonly caption?: string | undefined;
  /** The file name that the recipient sees; by default, the file's own name, or one that the service generates. */
  readonly filename?: string | undefined;
  /** Whether to show an audio file as a recorded voice message. The file must be Opus in Ogg. */
  readonly voice?: boolean | undefined;
  /** The people whom the caption mentions: phone numbers and ids of contacts, as in a text. */
  readonly mentions?: readonly string[] | undefined;
}

/** A sticker to send. */
export type SendStickerFileInput = Omit<SendStickerInput, 'file'> & {
  /** The content of the sticker. */
  readonly file: Blob;
};

/** The file of a message. */
export interface MediaFile {
  /** Read the stream to the end, or cancel it. */
  readonly content: ReadableStream<Uint8Array>;
  /** The type of the file, such as `image/jpeg`. */
  readonly mimeType: string;
  /** The size in bytes. */
  readonly size: number;
}

/** The message that this request queued, or that an earlier request with the same idempotency key queued. */
export interface Sent {
  /** The message as it is now. */
  readonly data: MessageResource;
  /** Whether this key was used for the same message before, so nothing new was queued. */
  readonly replayed: boolean;
}

/** The action that this request queued, or that an earlier request with the same idempotency key queued. */
export interface Acted {
  /** The action as it is now. */
  readonly data: MessageActionResource;
  /** Whether this key was used for the same action before, so nothing new was queued. */
  readonly replayed: boolean;
}

export function messageCalls(transport: Transport, { list, events }: RemoteApi['messages']): MessageCalls {
  const queue = <Data>(
    { method, path }: Operation,
    content: Pick<ApiRequest, 'form' | 'json'>,
    options?: SendOptions,
  ): Promise<CallResult<{ readonly data: Data; readonly replayed: boolean }>> =>
    requestOnce(transport, { method, path, ...content }, options);
  const { send, react, removeReaction, edit, cancel, markRead } = OPERATIONS.messages;
  const about = (id: string, operation: Operation): Operation => ({
    ...operation,
    path: pathOf(operation.path, id),
  });
  return {
    iterate: (query, options) => iterate((cursor) => list({ ...query, cursor }, options), query?.cursor),
    iterateEvents: (id, query, options) =>
      iterate((cursor) => events(id, { ...query, cursor }, options), query?.cursor),
    send: (message, options) =>
      queue(send, 'file' in message ? { form: formOf(message) } : { json: message }, options),
    react: (id, json, options) => queue(about(id, react), { json }, options),
    removeReaction: (id, options) => queue(about(id, removeReaction), {}, options),
    markRead: (id, options) => queue(about(id, markRead), {}, options),
    edit: (id, json, options) => queue(about(id, edit), { json }, options),
    deleteForEveryone: (id, options) => {
      const { method, path } = about(id, cancel);
      return queue({ method, path: `${path}?for=everyone` }, {}, options);
    },
    async media(id, { signal } = {}) {
      const { method, path } = OPERATIONS.messages.media;
      const response = await transport({ method, path: pathOf(path, id), wantsFile: true, signal });
      if (!response.ok) return response;
      const { requestId, headers, content = new Blob([]).stream() } = response;
      const mimeType = headers.get('Content-Type') ?? 'application/octet-stream';
      return { ok: true, requestId, content, mimeType, size: Number(headers.get('Content-Length')) };
    },
  };
}

/**
 * The file comes last, so that the service already knows the type and can refuse a file of another type at its first
 * bytes.
 */
function formOf({ file, filename, ...fields }: SendFileInput | SendStickerFileInput): FormData {
  const form = new FormData();
  // A list is written with commas.
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined && value !== null) form.set(name, String(value));
  // FormData names a Blob "blob" by default.
  form.set('file', file, filename ?? (file instanceof File ? file.name : ''));
  return form;
}
