import { checkSuspension } from '../../domain/api-key/authorization.ts';
import { checkIdempotencyKey, decideIdempotency } from '../../domain/idempotency/idempotency.ts';
import type { ActionKey, EditInPlace, RememberedAction } from '../../domain/message/action-acceptance.ts';
import {
  ACTION_CAPABILITIES,
  finishAction,
  flawForAction,
  recipientOfAction,
} from '../../domain/message/message-action.ts';
import type { ActionContent, MessageAction } from '../../domain/message/message-action.ts';
import type { Message } from '../../domain/message/message.ts';
import { editMessage, wordsFieldOf } from '../../domain/message/message-words.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { checkMaySend } from '../../domain/workspace/plan-rules.ts';
import { actionQuery, editInput, reactionInput } from '../../inputs/message-actions.ts';
import { invalid, readInput } from '../../inputs/read-input.ts';
import { noWorkspace } from '../admin/workspaces.ts';
import type { ServiceContext } from '../context.ts';
import { noCapability, noGateway } from '../gateways.ts';
import { noInstance } from '../instances/instances.ts';
import { readPage } from '../paging.ts';
import type { ListPage } from '../paging.ts';
import { findMessage, noMessage } from './messages.ts';
import { refusalOf } from './send-message.ts';
import type { SendingInstance } from './send-message.ts';

export interface AcceptedAction {
  readonly action: MessageAction;
  /** Whether the idempotency key was used for the same request before, so that nothing was queued. */
  readonly replayed: boolean;
}

export interface ActionRequest {
  readonly workspaceId: string;
  /** The id of the message. */
  readonly id: string;
  readonly idempotencyKey: string | null;
}

/** Accepts a reaction to a message. */
export async function reactToMessage(
  context: ServiceContext,
  request: ActionRequest,
  input: unknown,
): Promise<Result<AcceptedAction>> {
  const read = readInput(reactionInput, input);
  return read.ok ? act(context, request, { ...REACTION, emoji: read.value.emoji }) : read;
}

/** Accepts that the reaction to a message is taken back, whether there is one or not: the network decides. */
export function takeReactionBack(
  context: ServiceContext,
  request: ActionRequest,
): Promise<Result<AcceptedAction>> {
  return act(context, request, REACTION);
}

const REACTION: ActionContent = { kind: 'reaction', emoji: null, text: null };

/**
 * Accepts an edit of a message. If the message is certainly not on its way yet, it is changed before it is sent, and the
 * action is returned as carried out.
 */
export async function editWords(
  context: ServiceContext,
  request: ActionRequest,
  input: unknown,
): Promise<Result<AcceptedAction>> {
  const read = readInput(editInput, input);
  if (!read.ok) return read;
  const { text, caption } = read.value;
  const given = text === undefined ? 'caption' : 'text';
  return act(context, request, { kind: 'edit', emoji: null, text: text ?? caption ?? '' }, (message) => {
    const field = wordsFieldOf(message) ?? given;
    if (field === given) return ok(true);
    return field === 'text'
      ? invalid({ caption: ['Must not be given for a text message: use text.'] })
      : invalid({ text: ['Must not be given for a file: use caption.'] });
  });
}

/** Accepts that a message of the instance is deleted for everyone in its chat. */
export function deleteForEveryone(
  context: ServiceContext,
  request: ActionRequest,
): Promise<Result<AcceptedAction>> {
  return act(context, request, { kind: 'deletion', emoji: null, text: null });
}

/** Accepts that a received message, and everything before it in its chat, is marked as read. */
export function markRead(context: ServiceContext, request: ActionRequest): Promise<Result<AcceptedAction>> {
  return act(context, request, { kind: 'read_mark', emoji: null, text: null });
}

export async function listActions(
  context: ServiceContext,
  { workspaceId, id: messageId }: { readonly workspaceId: string; readonly id: string },
  query: unknown,
): Promise<Result<ListPage<MessageAction>>> {
  const read = readInput(actionQuery, query);
  if (!read.ok) return read;
  return readPage(read.value, { prefix: 'act', filter: [messageId] }, async (request) => {
    const found = await findMessage(context, workspaceId, messageId);
    if (!found.ok) return found;
    return ok(await context.storage.actions.list(workspaceId, messageId, request));
  });
}

/**
 * Accepts an action: once this resolves with the action, it is on disk with its place in the queue, and will be carried
 * out or fail with an event. Checks, in this order, as for a message: input, suspension, replay, resource, plan, state.
 */
async function act(
  context: ServiceContext,
  request: ActionRequest,
  content: ActionContent,
  suits: (message: Message) => Result<true> = () => ok(true),
): Promise<Result<AcceptedAction>> {
  const { storage } = context;
  const { workspaceId, id } = request;
  const key = keyOf(context, request, content);
  if (!key.ok) return key;
  const workspace = await storage.workspaces.find(workspaceId);
  if (!workspace) return noWorkspace();
  const active = checkSuspension(workspace);
  if (!active.ok) return active;
  const remembered = key.value && (await storage.actions.findByKey(workspaceId, key.value.key));
  const replay = key.value && replayOf(remembered, key.value, context.clock.now());
  if (replay) return replay;
  const found = await findMessage(context, workspaceId, id);
  if (!found.ok) return found;
  const suited = suits(found.value);
  if (!suited.ok) return suited;
  const instance = await storage.instances.find(workspaceId, found.value.instanceId);
  const able = checkAble(context, instance, content);
  if (!able.ok) return able;
  const allowed = checkMaySend(workspace.plan);
  if (!allowed.ok) return allowed;
  const { kind } = content;
  const withinMs = context.gateways.actionWithinMs(able.value.network, kind);
  const flaw = flawForAction(found.value, kind, { now: context.clock.now(), withinMs });
  if (flaw) return refuse('INVALID_MESSAGE_STATE', flaw.message);
  return accept(context, { message: found.value, instance: able.value, content, key: key.value });
}

/** The key of a request with its fingerprint; null if it has no key. */
function keyOf(
  { crypto }: ServiceContext,
  { id, idempotencyKey }: ActionRequest,
  content: ActionContent,
): Result<ActionKey | null> {
  if (idempotencyKey === null) return ok(null);
  const key = checkIdempotencyKey(idempotencyKey);
  if (!key.ok) return key;
  return ok({
    key: key.value,
    fingerprint: crypto.sha256(JSON.stringify([id, content.kind, content.emoji, content.text])),
  });
}

/** The result of the earlier request with the key; null if the key is new. */
function replayOf(
  remembered: RememberedAction | null,
  { key, fingerprint }: ActionKey,
  now: number,
): Result<AcceptedAction> | null {
  if (remembered === null) return null;
  const { id: messageId, createdAt } = remembered.action;
  const record = { key, fingerprint: remembered.fingerprint, messageId, createdAt };
  const decision = decideIdempotency(record, fingerprint, now);
  if (!decision.ok) return decision;
  return decision.value.kind === 'new' ? null : ok({ action: remembered.action, replayed: true });
}

function checkAble(
  { gateways }: ServiceContext,
  instance: SendingInstance | null,
  { kind }: ActionContent,
): Result<SendingInstance> {
  if (!instance) return noInstance();
  if (!gateways.find(instance.network)) return noGateway(instance.network);
  const capability = ACTION_CAPABILITIES[kind];
  return gateways.capabilities(instance).includes(capability) ? ok(instance) : noCapability(capability);
}

async function accept(
  context: ServiceContext,
  {
    message,
    instance,
    content,
    key,
  }: {
    readonly message: Message;
    readonly instance: SendingInstance;
    readonly content: ActionContent;
    readonly key: ActionKey | null;
  },
): Promise<Result<AcceptedAction>> {
  const { storage, clock, random, gateways, settings, newId } = context;
  const now = clock.now();
  const action: MessageAction = {
    id: newId('act', now),
    workspaceId: message.workspaceId,
    instanceId: message.instanceId,
    messageId: message.id,
    networkId: gateways.get(instance.network).newMessageId(random.bytes(NETWORK_ID_BYTES)),
    recipient: recipientOfAction(message),
    ...content,
    status: 'queued',
    error: null,
    createdAt: now,
    sentAt: null,
    failedAt: null,
  };
  const inPlace = inPlaceOf(message, action, now);
  const acceptance = { action, idempotency: key, backlogLimit: settings.sendBacklog, inPlace };
  const result = await storage.actions.accept(acceptance);
  switch (result.kind) {
    case 'accepted':
      return ok({ action, replayed: false });
    case 'edited_in_place':
      return ok({ action: inPlace?.action ?? action, replayed: false });
    case 'remembered': {
      const replay = key && replayOf(result.remembered, key, now);
      if (replay) return replay;
      throw new Error('A key of an action was remembered that is not. This is a defect: please report it.');
    }
    case 'message_gone':
      return noMessage();
    case 'instance_gone':
    case 'instance_not_connected':
    case 'backlog_full':
      return { ok: false, refusal: refusalOf(context, result.kind, now) };
  }
}

/** The message was not sent yet, so it does not count as edited. */
function inPlaceOf(message: Message, action: MessageAction, now: number): EditInPlace | null {
  if (action.kind !== 'edit' || message.status !== 'queued') return null;
  const decision = editMessage(message, { text: action.text ?? '', at: null }, now);
  const edited = decision.kind === 'edited' ? { ...decision.message, editedAt: message.editedAt } : message;
  return { change: { message: edited, expected: message }, action: finishAction(action, null, now) };
}

const NETWORK_ID_BYTES = 16;
