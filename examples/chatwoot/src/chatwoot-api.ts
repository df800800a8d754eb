/** The address of Chatwoot, and the bridge's account there. */
export interface ChatwootSettings {
  /** Such as `https://chatwoot.example.com`. */
  readonly url: string;
  readonly accountId: number;
  /** An inbox of the channel *API*. */
  readonly inboxId: number;
  /** The access token of an agent or a bot that is in this inbox. */
  readonly accessToken: string;
}

export interface Person {
  /** The id of a contact or a group at Trunkline, which never changes. */
  readonly identifier: string;
  readonly name: string;
  /** Digits only. */
  readonly phoneNumber: string | null;
}

interface NewMessage {
  readonly type: 'incoming' | 'outgoing';
  readonly content: string;
  /** Contains Trunkline's message id. */
  readonly sourceId: string;
  readonly file?: File | undefined;
  /** Chatwoot's id of the message that this message replies to. */
  readonly inReplyTo?: number | undefined;
}

/** The ids that identify a message in Chatwoot. */
export interface ChatwootMessage {
  readonly conversation: number;
  readonly id: number;
}

export type ChatwootStatus = 'delivered' | 'read' | 'failed';

/** A call rejects if Chatwoot is unreachable or refuses the request. */
export interface ChatwootApi {
  /** Finds or creates the contact with this identifier or phone number. Returns its id. */
  contactOf(person: Person): Promise<number>;
  /** The id of the newest unresolved conversation with the contact in the inbox, or of a new one. */
  conversationWith(contact: number, sourceId: string): Promise<number>;
  /** Undefined unless the message is among the newest of the conversation. */
  findMessage(conversation: number, sourceId: string): Promise<ChatwootMessage | undefined>;
  createMessage(conversation: number, message: NewMessage): Promise<ChatwootMessage>;
  /** Chatwoot ignores `delivered` after `read`. */
  updateStatus(message: ChatwootMessage, status: ChatwootStatus, error?: string): Promise<void>;
  /** The file of an attachment. The stream fails if the download takes longer than five minutes. */
  download(url: string): Promise<ReadableStream<Uint8Array>>;
}

const TIMEOUT_MS = 20_000;
const DOWNLOAD_TIMEOUT_MS = 5 * 60_000;

export function createChatwootApi({ url, accountId, inboxId, accessToken }: ChatwootSettings): ChatwootApi {
  const account = `${url.replace(/(?<!\/)\/+$/, '')}/api/v1/accounts/${accountId}`;

  async function call(method: string, path: string, body?: object): Promise<Json> {
    const isForm = body instanceof FormData;
    const response = await fetch(account + path, {
      method,
      headers: {
        api_access_token: accessToken,
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(
        `Chatwoot responded with ${response.status} to ${method} ${path}: ${text.slice(0, 500)}`,
      );
    return text === '' ? null : (JSON.parse(text) as Json);
  }

  return {
    async contactOf({ identifier, name, phoneNumber }) {
      const number = phoneNumber === null ? undefined : `+${phoneNumber}`;
      const byIdentifier = await search(identifier);
      const same = byIdentifier.find((contact) => field(contact, 'identifier') === identifier);
      const found =
        same ??
        (number === undefined
          ? undefined
          : (await search(number)).find((contact) => field(contact, 'phone_number') === number));
      if (found !== undefined) return numberIn(found, 'id');
      const created = await call('POST', '/contacts', {
        inbox_id: inboxId,
        name,
        identifier,
        source_id: identifier,
        ...(number === undefined ? {} : { phone_number: number }),
      });
      return numberIn(field(field(created, 'payload'), 'contact'), 'id');
    },

    async conversationWith(contact, sourceId) {
      const all = listIn(await call('GET', `/contacts/${contact}/conversations`), 'payload');
      const open = all
        .filter((one) => field(one, 'inbox_id') === inboxId && field(one, 'status') !== 'resolved')
        .map((one) => numberIn(one, 'id'));
      if (open.length > 0) return Math.max(...open);
      const body = { inbox_id: inboxId, contact_id: contact, source_id: sourceId };
      return numberIn(await call('POST', '/conversations', body), 'id');
    },

    async findMessage(conversation, sourceId) {
      const newest = listIn(await call('GET', `/conversations/${conversation}/messages`), 'payload');
      const found = newest.find((message) => field(message, 'source_id') === sourceId);
      return found === undefined ? undefined : { conversation, id: numberIn(found, 'id') };
    },

    async createMessage(conversation, { type, content, sourceId, file, inReplyTo }) {
      const fields = { content, message_type: type, private: 'false', source_id: sourceId };
      const body = file === undefined ? { ...fields, private: false } : formOf(fields);
      if (inReplyTo !== undefined) {
        if (body instanceof FormData) body.append('content_attributes[in_reply_to]', String(inReplyTo));
        else Object.assign(body, { content_attributes: { in_reply_to: inReplyTo } });
      }
      if (body instanceof FormData && file !== undefined) body.append('attachments[]', file);
      const created = await call('POST', `/conversations/${conversation}/messages`, body);
      return { conversation, id: numberIn(created, 'id') };
    },

    async updateStatus({ conversation, id }, status, error) {
      await call('PATCH', `/conversations/${conversation}/messages/${id}`, {
        status,
        ...(error === undefined ? {} : { external_error: error }),
      });
    },

    async download(fileUrl) {
      const response = await fetch(fileUrl, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) });
      if (!response.ok || response.body === null)
        throw new Error(`Chatwoot responded with ${response.status} to the download of an attachment.`);
      return response.body;
    },
  };

  async function search(text: string): Promise<readonly Json[]> {
    return listIn(await call('GET', `/contacts/search?q=${encodeURIComponent(text)}`), 'payload');
  }
}

type Json = unknown;

function formOf(fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function numberIn(value: Json, name: string): number {
  const found = field(value, name);
  if (typeof found !== 'number') throw new Error(`Chatwoot's response has no number ${name}.`);
  return found;
}

function listIn(value: Json, name: string): readonly Json[] {
  const found = field(value, name);
  if (!Array.isArray(found)) throw new Error(`Chatwoot's response has no list ${name}.`);
  return found;
}
