import { checkSuspension } from '../../domain/api-key/authorization.ts';
import { summaryOf } from '../../domain/contact/contact.ts';
import type { Contact } from '../../domain/contact/contact.ts';
import { isId } from '../../domain/id.ts';
import {
  canonicalFingerprint,
  checkIdempotencyKey,
  decideIdempotency,
} from '../../domain/idempotency/idempotency.ts';
import type { IdempotencyRecord } from '../../domain/idempotency/idempotency.ts';
import { chatOf, isSameChat } from '../../domain/message/chat.ts';
import { BACKLOG_RETRY_AFTER } from '../../domain/message/message.ts';
import type { Message } from '../../domain/message/message.ts';
import { wrongSendAt } from '../../domain/message/schedule.ts';
import type { Recipient } from '../../domain/message/recipient.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Refusal, Result } from '../../domain/result.ts';
import { checkMaySend, trialLimit } from '../../domain/workspace/plan-rules.ts';
import type { Acceptance, AcceptanceResult } from '../../domain/message/acceptance.ts';
import type { Sender } from '../../ports/storage/message-store.ts';
import { invalid } from '../../inputs/read-input.ts';
import { changeTries } from '../../runtime/retry.ts';
import { noWorkspace } from '../admin/workspaces.ts';
import type { ServiceContext } from '../context.ts';
import { messageAttributes } from '../span-attributes.ts';
import { noGateway } from '../gateways.ts';
import { noInstance } from '../instances/instances.ts';
import { checkSendable } from '../media/check-sendable.ts';
import type { SentFile } from '../media/uploads.ts';
import { SENDABLE_KINDS } from '../message-kinds/message-kinds.ts';
import { checkMentions } from './check-mentions.ts';
import { checkContact, checkGroup } from './check-recipient.ts';
import { checkSendInput } from './check-send-input.ts';
import type { CheckedSend } from './check-send-input.ts';

export interface Accepted {
  readonly message: Message;
  /** Whether the idempotency key was used for the same request before, so that nothing was queued. */
  readonly replayed: boolean;
}

interface SendRequest {
  readonly workspaceId: string;
  readonly input: unknown;
  /** The stored file, which the caller discards unless this request accepts the message. */
  readonly upload: SentFile;
  readonly idempotencyKey: string | null;
  /** The caller's transaction, in which the message is accepted; if undefined, the storage uses its own. */
  readonly transaction?: unknown;
  /** The trace context of the caller's request (W3C `traceparent`). */
  readonly traceparent?: string | undefined;
}

/**
 * Accepts a message: once this resolves with the message, or the caller's transaction is committed, the message is on
 * disk with its place in the queue, and will be sent or fail with an event. Checks, in this order: input, suspension
 * (which REST refuses earlier), replay, resource, plan, state.
 */
export async function sendMessage(context: ServiceContext, request: SendRequest): Promise<Result<Accepted>> {
  const span = context.tracing.within(request.traceparent, {
    name: 'create message',
    kind: 'PRODUCER',
    attributes: () => ({
      'messaging.operation.type': 'create',
      'messaging.operation.name': 'accept',
      'trunkline.workspace.id': request.workspaceId,
    }),
  });
  try {
    const sent = await span.run(() => checkAndAccept(context, request, span.traceparent));
    if (!sent.ok) span.end(sent.refusal.code);
    else
      span.end(null, { ...messageAttributes(sent.value.message), 'trunkline.replayed': sent.value.replayed });
    return sent;
  } catch (error) {
    span.end('INTERNAL_ERROR');
    throw error;
  }
}

async function checkAndAccept(
  context: ServiceContext,
  request: SendRequest,
  traceparent: string | null,
): Promise<Result<Accepted>> {
  const startedAt = context.clock.elapsed();
  if (request.idempotencyKey !== null) {
    const key = checkIdempotencyKey(request.idempotencyKey);
    if (!key.ok) return key;
  }
  const checked = checkSendInput(context, request.input, request.upload);
  if (!checked.ok) return checked;
  const send = checked.value;

  const attempt = {
    request,
    send,
    startedAt,
    traceparent,
    fingerprint: context.crypto.sha256(fingerprintOf(send)),
  };
  // In the caller's transaction, the workspace may differ from the one read here, so use no cached sender, and
  // compare no revision.
  const nextTry = changeTries(context, 'The acceptance of a message');
  for (let fresh = request.transaction !== undefined; ; fresh = true) {
    const sent = await trySending(context, attempt, fresh);
    if (sent !== 'stale') return sent;
    await nextTry();
  }
}

interface Attempt {
  readonly request: SendRequest;
  readonly send: CheckedSend;
  /** The start of the request, by `Clock.elapsed()`. */
  readonly startedAt: number;
  /** The trace context of the message (W3C `traceparent`); null if it is not traced. */
  readonly traceparent: string | null;
  readonly fingerprint: string;
}

/**
 * Returns `stale` if a cached sender cannot decide. A message may be accepted on the basis of a cached sender, if the
 * storage finds the workspace unchanged, but never refused.
 */
async function trySending(
  context: ServiceContext,
  { request, send, startedAt, traceparent, fingerprint }: Attempt,
  fresh: boolean,
): Promise<Result<Accepted> | 'stale'> {
  const { workspaceId, idempotencyKey, transaction } = request;
  const how = { now: context.clock.now(), fresh };
  const sender = await context.storage.messages.findSender(workspaceId, send.instanceId, how);
  if (!sender) return noWorkspace();
  const active = checkSuspension(sender.workspace);
  if (!active.ok) return fresh ? active : 'stale';
  const timely = checkSendAt(send.sendAt, context.wallTime());
  const addressed = timely.ok ? await checkSender(context, sender, { send, transaction }) : timely;
  if (!addressed.ok) {
    if (!fresh) return 'stale';
    // A replay comes before a refusal. Without a refusal, `accept` looks for the replay in its transaction.
    return (await findReplay(context, request, fingerprint)) ?? addressed;
  }
  const now = context.clock.now();
  // Make the id only now, because lists are sorted by id and an upload may have begun long ago.
  const id = context.newId('msg', now);
  const { networkId, isReadable } = await context.networkIds.newNetworkId(
    id,
    context.gateways.get(addressed.value.instance.network),
  );
  const message = newOutboundMessage(addressed.value, send, { id, networkId, now, traceparent });
  const acceptance: Acceptance = {
    message,
    hasReadableNetworkId: isReadable,
    isScheduled: send.sendAt !== null && send.sendAt > context.wallTime(),
    idempotency:
      idempotencyKey === null
        ? null
        : { key: idempotencyKey, fingerprint, messageId: message.id, createdAt: now },
    backlogLimit: context.settings.sendBacklog,
    trialLimit: trialLimit(sender.workspace.plan),
    revision: transaction === undefined ? sender.revision : undefined,
  };
  const result = await context.storage.messages.accept(acceptance, transaction);
  switch (result.kind) {
    case 'accepted':
      context.metrics.messageAccepted(message, context.clock.elapsed() - startedAt);
      return ok({ message, replayed: false });
    case 'stale':
      return 'stale';
    case 'remembered':
      return replayRemembered(context, request, result.record, fingerprint);
    default:
      return { ok: false, refusal: refusalOf(context, result.kind, now) };
  }
}

export type SendingInstance = NonNullable<Sender['instance']>;

interface Addressed {
  readonly instance: SendingInstance;
  /** The recipient; null unless the message is addressed to a contact. */
  readonly contact: Contact | null;
}

/** Checks the instance, the recipient and the message replied to, then whether the plan allows sending. */
async function checkSender(
  context: ServiceContext,
  { instance, workspace }: Sender,
  { send, transaction }: { readonly send: CheckedSend; readonly transaction: unknown },
): Promise<Result<Addressed>> {
  if (!instance) return noInstance();
  const { network } = instance;
  if (!context.gateways.find(network)) return noGateway(network);
  const sendable = checkSendable(context, [SENDABLE_KINDS[send.kind].sending.capability], instance);
  if (!sendable.ok) return sendable;
  const mentionable = await checkMentions(context, instance, send.content.mentions ?? []);
  if (!mentionable.ok) return mentionable;
  const group = await checkGroup(context, instance, send.recipient);
  if (!group.ok) return group;
  const contact = await checkContact(context, instance, send.recipient);
  if (!contact.ok) return contact;
  const addressed = { instance, contact: contact.value };
  const reply = await checkReply(context, addressed, { send, transaction });
  if (!reply.ok) return reply;
  const allowed = checkMaySend(workspace.plan);
  return allowed.ok ? ok(addressed) : allowed;
}

/** Returns the result for the request's idempotency key; null if there is no key, or it is new. */
async function findReplay(
  context: ServiceContext,
  request: SendRequest,
  fingerprint: string,
): Promise<Result<Accepted> | null> {
  const { workspaceId, idempotencyKey } = request;
  if (idempotencyKey === null) return null;
  const record = await context.storage.messages.findIdempotencyRecord(workspaceId, idempotencyKey);
  return decideReplay(context, request, record, fingerprint);
}

async function decideReplay(
  context: ServiceContext,
  { workspaceId, transaction }: SendRequest,
  record: IdempotencyRecord | null,
  fingerprint: string,
): Promise<Result<Accepted> | null> {
  const decision = decideIdempotency(record, fingerprint, context.clock.now());
  if (!decision.ok) return decision;
  if (decision.value.kind === 'new') return null;
  const message = await context.storage.messages.find(workspaceId, decision.value.messageId, transaction);
  return message && ok({ message, replayed: true });
}

/** Replays the result for a key that was used before or concurrently. */
async function replayRemembered(
  context: ServiceContext,
  request: SendRequest,
  record: IdempotencyRecord,
  fingerprint: string,
): Promise<Result<Accepted>> {
  const replay = await decideReplay(context, request, record, fingerprint);
  // The record was deleted between the two reads, so the key is free again.
  return replay ?? sendMessage(context, request);
}

/** Comes after the look-up of a replay, because the time may have passed since the first request. */
function checkSendAt(sendAt: number | null, now: number): Result<true> {
  const wrong = sendAt === null ? null : wrongSendAt(sendAt, now);
  return wrong === null ? ok(true) : invalid({ send_at: [wrong] });
}

async function checkReply(
  { storage }: ServiceContext,
  { instance, contact }: Addressed,
  {
    send: { recipient, replyTo },
    transaction,
  }: { readonly send: CheckedSend; readonly transaction: unknown },
): Promise<Result<true>> {
  if (replyTo === null) return ok(true);
  const message = isId('msg', replyTo)
    ? await storage.messages.find(instance.workspaceId, replyTo, transaction)
    : null;
  const number = recipient.kind === 'number' ? recipient.digits : null;
  const chat = {
    groupId: recipient.kind === 'group' ? recipient.groupId : null,
    contact:
      number === null
        ? contact
        : await storage.contacts.findByNumber(instance.workspaceId, instance.id, number),
    number,
  };
  const isThere = message?.instanceId === instance.id && isSameChat(chatOf(message), chat);
  return isThere
    ? ok(true)
    : invalid({ reply_to: ['Must be the id of a message in the chat of this instance with the recipient.'] });
}

function fingerprintOf({ instanceId, recipient, replyTo, sendAt, kind, content }: CheckedSend): string {
  return canonicalFingerprint({
    instanceId,
    to: nameOf(recipient),
    replyTo,
    sendAt,
    type: kind,
    content: content.fingerprint,
  });
}

function nameOf(recipient: Recipient): string {
  switch (recipient.kind) {
    case 'number':
      return recipient.digits;
    case 'group':
      return recipient.groupId;
    case 'contact':
      return recipient.contactId;
  }
}

function newOutboundMessage(
  { instance, contact }: Addressed,
  { recipient, replyTo, sendAt, content }: CheckedSend,
  {
    id,
    networkId,
    now,
    traceparent,
  }: Pick<Message, 'id' | 'networkId' | 'traceparent'> & { readonly now: number },
): Message {
  return {
    id,
    workspaceId: instance.workspaceId,
    instanceId: instance.id,
    networkId,
    direction: 'outbound',
    status: 'queued',
    to: recipient.kind === 'number' ? recipient.digits : (contact?.phoneNumber ?? null),
    from: instance.phoneNumber,
    groupId: recipient.kind === 'group' ? recipient.groupId : null,
    contact: contact && summaryOf(contact),
    replyTo,
    sendAt,
    ...content.contentOf(id),
    origin: 'api',
    error: null,
    createdAt: now,
    queuedAt: now,
    sentAt: null,
    deliveredAt: null,
    readAt: null,
    failedAt: null,
    receivedAt: null,
    editedAt: null,
    deletedAt: null,
    traceparent,
  };
}

export function refusalOf(
  { settings }: Pick<ServiceContext, 'settings'>,
  kind: Exclude<AcceptanceResult['kind'], 'accepted' | 'remembered' | 'stale'>,
  now: number,
): Refusal {
  switch (kind) {
    case 'instance_gone':
      return noInstance().refusal;
    case 'instance_not_connected':
      return refuse(
        'INSTANCE_NOT_CONNECTED',
        'The instance has no linked number that is connected or reconnecting: connect it, then send again.',
      ).refusal;
    case 'trial_used_up':
      return refuse(
        'TRIAL_LIMIT_REACHED',
        'The messages of the trial are used up: the workspace needs a subscription to send more.',
      ).refusal;
    case 'backlog_full':
      return refuse(
        'SEND_BACKLOG',
        `Too many messages of this instance are waiting to be sent: repeat the request in ${BACKLOG_RETRY_AFTER} s.`,
        {
          retry_after: BACKLOG_RETRY_AFTER,
          limit: settings.sendBacklog,
          reset: Math.ceil(now / 1000) + BACKLOG_RETRY_AFTER,
        },
      ).refusal;
  }
}
