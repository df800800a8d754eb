import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import type { Context } from 'hono';

/**
 * A Chatwoot on this machine, with one account and one API inbox: the part of its API and webhooks that the bridge
 * uses, written from Chatwoot's source.
 */
export interface ChatwootStandIn {
  readonly url: string;
  readonly contacts: readonly Contact[];
  readonly conversations: readonly Conversation[];
  /** The messages of all conversations, oldest first. */
  readonly messages: readonly Message[];
  /** If true, every request gets a 503. */
  isDown: boolean;
  /** If true, the next message is stored, but gets a 504. */
  losesResponse: boolean;
  /** If true, downloads get no response. */
  withholdsFiles: boolean;
  readonly searches: number;
  /** How many requests were refused while it was down. */
  readonly refused: number;
  addContact(contact: Omit<Contact, 'id'>): Contact;
  resolve(conversation: number): void;
  write(draft: AgentDraft): Promise<Message>;
  retry(id: number): Promise<void>;
  /** Changes a message's content, but not its status. */
  change(id: number, content: string): Promise<void>;
  post(webhook?: Partial<Posted>): Promise<Response | undefined>;
  /** Where webhooks are sent, and the secret that signs them. */
  webhook: { url: string; secret: string };
  stop(): Promise<void>;
}

interface Contact {
  readonly id: number;
  readonly name: string;
  readonly identifier?: string | null;
  readonly phone_number?: string | null;
}

interface Conversation {
  readonly id: number;
  readonly inbox_id: number;
  readonly contact: number;
  readonly source_id: string;
  status: 'open' | 'resolved';
}

interface Message {
  readonly id: number;
  readonly conversation: number;
  readonly message_type: 'incoming' | 'outgoing';
  content: string | null;
  readonly private: boolean;
  readonly source_id: string | null;
  readonly created_at: string;
  readonly attachments: readonly {
    readonly name: string;
    readonly type: string;
    readonly size: number;
    readonly key: string;
  }[];
  readonly in_reply_to: number | null;
  status: 'sent' | 'delivered' | 'read' | 'failed';
  external_error: string | null;
}

interface AgentDraft {
  readonly conversation: number;
  readonly content?: string;
  readonly private?: boolean;
  readonly file?: File;
}

interface Posted {
  readonly body: string;
  readonly secret: string;
  readonly timestamp: number;
}

export const INBOX_ID = 7;
export const ACCESS_TOKEN = 'the-token-of-the-bridge';

export async function startChatwootStandIn(): Promise<ChatwootStandIn> {
  const contacts: Contact[] = [];
  const conversations: Conversation[] = [];
  const messages: Message[] = [];
  const files = new Map<string, File>();
  let lastPosted: Posted = { body: '', secret: '', timestamp: 0 };
  let refused = 0;
  let searches = 0;

  const app = new Hono();
  const account = '/api/v1/accounts/1';
  app.use('*', async (c, next) => {
    if (!standIn.isDown) return next();
    refused += 1;
    return c.json({ error: 'Service Unavailable' }, 503);
  });
  app.use(`${account}/*`, async (c, next) =>
    c.req.header('api_access_token') === ACCESS_TOKEN
      ? next()
      : c.json({ error: 'Invalid Access Token' }, 401),
  );
  app.get(`${account}/contacts/search`, (c) => {
    searches += 1;
    const text = (c.req.query('q') ?? '').trim();
    const found = contacts.filter(
      ({ name, identifier, phone_number: number }) =>
        name.includes(text) || identifier?.includes(text) === true || number?.includes(text) === true,
    );
    return c.json({ meta: { count: found.length }, payload: found.slice(0, 15) });
  });
  app.post(`${account}/contacts`, async (c) => {
    const { inbox_id: inboxId, source_id: sourceId, ...fields } = await c.req.json();
    const isTaken = contacts.some(
      (one) =>
        one.identifier === fields.identifier ||
        (fields.phone_number !== undefined && one.phone_number === fields.phone_number),
    );
    if (isTaken) return c.json({ message: 'Identifier has already been taken' }, 422);
    const contact = standIn.addContact(fields);
    return c.json({ payload: { contact, contact_inbox: { source_id: sourceId, inbox: { id: inboxId } } } });
  });
  app.get(`${account}/contacts/:id/conversations`, (c) =>
    c.json({ payload: conversations.filter(({ contact }) => contact === Number(c.req.param('id'))) }),
  );
  app.post(`${account}/conversations`, async (c) => {
    const { inbox_id: inboxId, contact_id: contact, source_id: sourceId } = await c.req.json();
    const conversation: Conversation = {
      id: conversations.length + 1,
      inbox_id: inboxId,
      contact,
      source_id: sourceId,
      status: 'open',
    };
    conversations.push(conversation);
    return c.json(conversation);
  });
  app.get(`${account}/conversations/:id/messages`, (c) =>
    c.json({
      payload: messages.filter(({ conversation }) => conversation === Number(c.req.param('id'))).slice(-20),
    }),
  );
  app.post(`${account}/conversations/:id/messages`, async (c) => {
    const { text, file, inReplyTo } = await readBody(c);
    const message = create({
      conversation: Number(c.req.param('id')),
      message_type: text('message_type') === 'incoming' ? 'incoming' : 'outgoing',
      content: text('content'),
      private: text('private') === 'true',
      source_id: text('source_id'),
      in_reply_to: inReplyTo,
      file,
    });
    void announce('message_created', message);
    if (!standIn.losesResponse) return c.json(message);
    standIn.losesResponse = false;
    return c.json({ error: 'Gateway Timeout' }, 504);
  });
  app.patch(`${account}/conversations/:conversation/messages/:id`, async (c) => {
    const { status, external_error: error } = await c.req.json();
    const message = messages.find(({ id }) => id === Number(c.req.param('id')));
    if (message === undefined) return c.json({ error: 'Resource could not be found' }, 404);
    if (!(message.status === 'read' && status === 'delivered')) {
      message.status = status;
      message.external_error = status === 'failed' ? (error ?? null) : null;
      void announce('message_updated', message);
    }
    return c.json(message);
  });
  app.get('/rails/active_storage/blobs/:key/:name', async (c) => {
    if (standIn.withholdsFiles) return new Promise<Response>(() => {});
    const file = files.get(c.req.param('key'));
    return file === undefined ? c.notFound() : c.body(await file.arrayBuffer());
  });

  function create({
    file,
    ...fields
  }: Pick<Message, 'conversation' | 'message_type' | 'content' | 'private' | 'source_id' | 'in_reply_to'> & {
    readonly file: File | undefined;
  }): Message {
    const attachments =
      file === undefined ? [] : [{ name: file.name, type: file.type, size: file.size, key: randomUUID() }];
    if (file !== undefined && attachments[0] !== undefined) files.set(attachments[0].key, file);
    const created_at = new Date().toISOString();
    const message: Message = {
      ...fields,
      id: 100 + messages.length,
      created_at,
      attachments,
      status: 'sent',
      external_error: null,
    };
    messages.push(message);
    return message;
  }

  /** Posts once. If the post fails, the message is marked as failed. */
  async function announce(event: string, message: Message): Promise<void> {
    const conversation = conversations.find(({ id }) => id === message.conversation);
    const contact = contacts.find(({ id }) => id === conversation?.contact);
    const body = JSON.stringify({
      event,
      id: message.id,
      content: message.content,
      content_type: 'text',
      content_attributes: message.external_error === null ? {} : { external_error: message.external_error },
      created_at: message.created_at,
      message_type: message.message_type,
      private: message.private,
      source_id: message.source_id,
      inbox: { id: INBOX_ID, name: 'WhatsApp' },
      account: { id: 1, name: 'Acme' },
      conversation: {
        id: message.conversation,
        contact_inbox: { source_id: conversation?.source_id },
        meta: { sender: contact },
      },
      ...(message.attachments.length > 0 && {
        attachments: message.attachments.map(({ key, name, type }) => ({
          file_type: ['image', 'audio', 'video'].find((family) => type.startsWith(family)) ?? 'file',
          data_url: `${standIn.url}/rails/active_storage/blobs/${key}/${encodeURIComponent(name)}`,
        })),
      }),
    });
    lastPosted = { body, secret: standIn.webhook.secret, timestamp: Math.floor(Date.now() / 1000) };
    const response = await standIn.post();
    if (response?.ok === true || message.status === 'failed') return;
    message.status = 'failed';
    message.external_error = response === undefined ? 'Connection refused' : `${response.status}`;
  }

  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
  await once(server, 'listening');
  const address = server.address();
  const standIn: ChatwootStandIn = {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    contacts,
    conversations,
    messages,
    isDown: false,
    losesResponse: false,
    withholdsFiles: false,
    get searches() {
      return searches;
    },
    get refused() {
      return refused;
    },
    addContact(fields) {
      const contact = { id: contacts.length + 1, ...fields };
      contacts.push(contact);
      return contact;
    },
    resolve(id) {
      for (const one of conversations) if (one.id === id) one.status = 'resolved';
    },
    async write({ conversation, content = '', file, private: isPrivate = false }) {
      const message = create({
        conversation,
        message_type: 'outgoing',
        content,
        private: isPrivate,
        source_id: null,
        in_reply_to: null,
        file,
      });
      await announce('message_created', message);
      return message;
    },
    async retry(id) {
      for (const message of messages) {
        if (message.id !== id) continue;
        Object.assign(message, { status: 'sent', external_error: null });
        await announce('message_updated', message);
      }
    },
    async change(id, content) {
      for (const message of messages) {
        if (message.id !== id) continue;
        message.content = content;
        await announce('message_updated', message);
      }
    },
    async post(changed = {}) {
      const { body, secret, timestamp } = { ...lastPosted, ...changed };
      const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
      return fetch(standIn.webhook.url, {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          'x-chatwoot-delivery': randomUUID(),
          'x-chatwoot-timestamp': String(timestamp),
          'x-chatwoot-signature': `sha256=${signature}`,
        },
      }).catch(() => undefined);
    },
    webhook: { url: '', secret: '' },
    async stop() {
      server.close();
      await once(server, 'close');
    },
  };
  return standIn;
}

async function readBody(
  c: Context,
): Promise<{ text(name: string): string; file: File | undefined; inReplyTo: number | null }> {
  if (c.req.header('content-type')?.startsWith('multipart/form-data') !== true) {
    const body = await c.req.json();
    return {
      text: (name) => String(body[name] ?? ''),
      file: undefined,
      inReplyTo: body.content_attributes?.in_reply_to ?? null,
    };
  }
  const form = await c.req.formData();
  const file = form.get('attachments[]');
  const inReplyTo = form.get('content_attributes[in_reply_to]');
  return {
    text: (name) => {
      const value = form.get(name);
      return typeof value === 'string' ? value : '';
    },
    file: file instanceof File ? file : undefined,
    inReplyTo: inReplyTo === null ? null : Number(inReplyTo),
  };
}
