import { isTrunklineError } from '@trunkline/core';
import type { SendMediaInput, WorkspaceApi } from '@trunkline/core';
import { field } from './chatwoot-api.ts';
import type { ChatwootApi, ChatwootMessage } from './chatwoot-api.ts';
import type { Links } from './links.ts';
import { whatsappMarks } from './whatsapp-marks.ts';

export interface FromChatwootParts {
  readonly api: WorkspaceApi;
  readonly instance: string;
  readonly inboxId: number;
  readonly chatwoot: ChatwootApi;
  readonly links: Links;
}

export interface FromChatwoot {
  /** Handles the body of an authentic webhook. */
  receive(body: string): Promise<Response>;
  readonly sending: ReadonlySet<Promise<unknown>>;
}

interface AgentMessage extends ChatwootMessage {
  readonly to: string;
  readonly content: string;
  readonly files: readonly AgentFile[];
  readonly replyTo: string | undefined;
}

interface AgentFile {
  readonly url: string;
  readonly type: SendMediaInput['type'];
}

/**
 * Sends the messages of agents. Chatwoot posts each message once, and marks it as failed if the post fails. An agent's
 * retry is safe, because the idempotency key contains the message's id.
 */
export function fromChatwoot(parts: FromChatwootParts): FromChatwoot {
  const sending = new Set<Promise<unknown>>();
  return {
    sending,
    async receive(body) {
      const message = readAgentMessage(parts, body);
      if (message === undefined) return new Response(null, { status: 204 });
      const sent = send(parts, message);
      sending.add(sent);
      try {
        await sent;
        return new Response(null, { status: 204 });
      } catch (error) {
        if (!isTrunklineError(error)) throw error;
        // Without this call, Chatwoot would show the agent only our HTTP status.
        await parts.chatwoot.updateStatus(message, 'failed', `${error.code}: ${error.message}`);
        return new Response(null, { status: 204 });
      } finally {
        sending.delete(sent);
      }
    },
  };
}

/** Undefined if there is nothing to send, for example for a private note or another inbox. */
function readAgentMessage({ links, inboxId }: FromChatwootParts, body: string): AgentMessage | undefined {
  const payload: unknown = JSON.parse(body);
  const id = field(payload, 'id');
  const conversation = field(payload, 'conversation');
  const conversationId = field(conversation, 'id');
  if (typeof id !== 'number' || typeof conversationId !== 'number') return undefined;
  if (field(payload, 'message_type') !== 'outgoing' || field(payload, 'private') !== false) return undefined;
  if (field(field(payload, 'inbox'), 'id') !== inboxId) return undefined;
  // The bridge created this message, because the number's owner wrote it on the phone.
  if (typeof field(payload, 'source_id') === 'string') return undefined;
  if (!isNew(payload) && !(isTriedAgain(payload) && !links.isSent(id))) return undefined;
  const files = filesOf(payload);
  const written = field(payload, 'content');
  const content = typeof written === 'string' ? whatsappMarks(written) : '';
  const to = recipientOf(conversation);
  if (to === undefined || (content === '' && files.length === 0)) return undefined;
  const replyTo = field(field(payload, 'content_attributes'), 'in_reply_to_external_id');
  return {
    id,
    conversation: conversationId,
    to,
    content,
    files,
    replyTo: typeof replyTo === 'string' && /^msg_\w+$/.test(replyTo) ? replyTo : undefined,
  };
}

function isNew(payload: unknown): boolean {
  return field(payload, 'event') === 'message_created';
}

/**
 * An agent's retry of a failed message clears its error. Messages older than 23 hours are not retried, because their
 * idempotency keys may have expired.
 */
function isTriedAgain(payload: unknown): boolean {
  const attributes = field(payload, 'content_attributes');
  const age = Date.now() - Date.parse(String(field(payload, 'created_at')));
  return (
    field(payload, 'event') === 'message_updated' &&
    age < 23 * 3_600_000 &&
    (field(attributes, 'external_error') ?? null) === null &&
    field(attributes, 'deleted') !== true
  );
}

/** A conversation that the bridge created has a Trunkline id; one that an agent began has only the contact's number. */
function recipientOf(conversation: unknown): string | undefined {
  const sourceId = field(field(conversation, 'contact_inbox'), 'source_id');
  if (typeof sourceId === 'string' && /^(?:con|grp)_\w+$/.test(sourceId)) return sourceId;
  const number = field(field(field(conversation, 'meta'), 'sender'), 'phone_number');
  return typeof number === 'string' && number !== '' ? number : undefined;
}

const TYPES: Readonly<Record<string, SendMediaInput['type']>> = {
  image: 'image',
  audio: 'audio',
  video: 'video',
  file: 'document',
};

function filesOf(payload: unknown): readonly AgentFile[] {
  const attachments = field(payload, 'attachments');
  return (Array.isArray(attachments) ? attachments : []).flatMap((attachment: unknown) => {
    const url = field(attachment, 'data_url');
    const type = TYPES[String(field(attachment, 'file_type'))];
    return typeof url === 'string' && type !== undefined ? [{ url, type }] : [];
  });
}

/**
 * A Chatwoot message with files may become several messages. Its text is the caption of the first file, or a message of
 * its own.
 */
async function send(parts: FromChatwootParts, message: AgentMessage): Promise<void> {
  const { api, instance, links } = parts;
  const { id, conversation, to, content, files, replyTo } = message;
  const [first] = files;
  const hasCaption =
    first !== undefined && first.type !== 'audio' && content !== '' && [...content].length <= CAPTION_MAX;
  const address = { instance, to, ...(replyTo === undefined ? {} : { reply_to: replyTo }) };
  if (content !== '' && !hasCaption) {
    const options = { idempotencyKey: `chatwoot-${id}` };
    const sent = await api.messages.send({ ...address, type: 'text', text: content }, options);
    links.add(sent.message.id, { conversation, id });
  }
  for (const [index, file] of files.entries()) {
    const caption = hasCaption && index === 0 ? { caption: content } : {};
    const options = { idempotencyKey: `chatwoot-${id}-file-${index}` };
    const sent = await sendFile(parts, file, async (type, content) => {
      const filename = decodeURIComponent(new URL(file.url).pathname.split('/').at(-1) ?? 'file');
      return api.messages.send({ ...address, ...caption, type, file: content, filename }, options);
    });
    links.add(sent.message.id, { conversation, id });
  }
}

const CAPTION_MAX = 1024;

type SendResult = Awaited<ReturnType<WorkspaceApi['messages']['send']>>;

/** Falls back to a document if the network refuses the file's type, as for a GIF or a large video. */
async function sendFile(
  { chatwoot }: FromChatwootParts,
  { url, type }: AgentFile,
  sendAs: (type: AgentFile['type'], content: ReadableStream<Uint8Array>) => Promise<SendResult>,
): Promise<SendResult> {
  try {
    return await sendAs(type, await chatwoot.download(url));
  } catch (error) {
    const isRefused =
      isTrunklineError(error) && ['INVALID_MEDIA_TYPE', 'MEDIA_TOO_LARGE'].includes(error.code);
    if (!isRefused || type === 'document') throw error;
    return sendAs('document', await chatwoot.download(url));
  }
}
