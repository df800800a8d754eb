import { reportedTime } from '../../domain/message/inbound-bounds.ts';
import { contentIdOf } from '../../domain/message/message.ts';
import type { Message } from '../../domain/message/message.ts';
import { deleteMessage, editMessage } from '../../domain/message/message-words.ts';
import type { Activity } from '../../ports/gateway.ts';
import type { LeasedInstance } from '../../ports/storage/lease-store.ts';
import { contactResource, messageResource } from '../../resources/message.ts';
import { timestampOrNull } from '../../resources/time.ts';
import { changeTries } from '../../runtime/retry.ts';
import type { ServiceContext } from '../context.ts';
import { discardUpload } from '../media/uploads.ts';
import { activityKey, storeActivity } from './activities.ts';
import { findTarget } from './find-target.ts';
import type { Target } from './find-target.ts';
import { receivedText } from './received-text.ts';

/** Limit in UTF-16 code units: several times the longest emoji. */
const EMOJI_MAX = 100;

type Deed = Extract<Activity, { kind: 'reaction' | 'vote' | 'edit' | 'deletion' }>;

/**
 * Stores a reaction, a vote, an edit or a deletion once, with its event. Counts it as skipped if it is not allowed or out of
 * date, or if its message is not stored.
 */
export async function recordDeed(context: ServiceContext, held: LeasedInstance, deed: Deed): Promise<void> {
  const nextTry = changeTries(context, 'An activity on a message');
  for (;;) {
    await nextTry();
    const target = await findTarget(context, held, deed);
    const result = typeof target === 'string' ? target : await applyDeed(context, held, { deed, target });
    if (result === 'changed meanwhile') continue;
    if (result !== 'done') context.metrics.skipped(`${result}_${deed.kind}`);
    return;
  }
}

/** `unknown`: the message is not stored. `stale`: the activity is older than the message's last change. */
type DeedResult = 'done' | 'changed meanwhile' | 'unknown' | 'forbidden' | 'stale';

interface Doing<Kind extends Deed['kind']> {
  readonly deed: Extract<Deed, { kind: Kind }>;
  readonly target: Target;
}

function applyDeed(
  context: ServiceContext,
  held: LeasedInstance,
  { deed, target }: { readonly deed: Deed; readonly target: Target },
): Promise<DeedResult> {
  switch (deed.kind) {
    case 'reaction':
      return react(context, held, { deed, target });
    case 'vote':
      return vote(context, held, { deed, target });
    case 'edit':
      return edit(context, held, { deed, target });
    case 'deletion':
      return remove(context, held, { deed, target });
  }
}

async function react(
  context: ServiceContext,
  held: LeasedInstance,
  { deed, target }: Doing<'reaction'>,
): Promise<DeedResult> {
  const { message, contact } = target;
  const { own, emoji, at } = deed;
  if (emoji !== null && emoji.length > EMOJI_MAX) return 'forbidden';
  const now = context.clock.now();
  await storeActivity(context, held, {
    key: activityKey(context, deed.kind, message.id, own ? null : (contact?.id ?? ''), emoji, at),
    event: context.newEvent({
      type: 'message.reaction',
      workspaceId: message.workspaceId,
      data: {
        message: messageResource(message),
        reaction: { emoji: emoji === '' ? null : emoji, ...doneBy(deed, target, now) },
      },
      now,
    }),
    change: null,
  });
  return 'done';
}

async function vote(
  context: ServiceContext,
  held: LeasedInstance,
  { deed, target }: Doing<'vote'>,
): Promise<DeedResult> {
  const { message, contact } = target;
  const { own, options, at } = deed;
  if (message.deletedAt !== null) return 'unknown';
  if (!isChoiceOf(message, options)) return 'forbidden';
  const { newId, newEvent, clock } = context;
  const now = clock.now();
  const voter = own ? null : contact;
  const votedAt = reportedTime(at, now) ?? now;
  const { id: messageId, workspaceId } = message;
  const stored = await storeActivity(context, held, {
    // Not needed, because a vote that is not newer than the person's last one is a repeat.
    key: null,
    event: newEvent({
      type: 'message.poll_voted',
      workspaceId,
      data: { message: messageResource(message), vote: { options, ...doneBy(deed, target, now) } },
      now,
    }),
    change: null,
    vote: {
      vote: {
        id: newId('vot', now),
        workspaceId,
        messageId,
        contactId: voter?.id ?? null,
        options,
        votedAt,
      },
      voterIds: voter ? [voter.id, ...voter.formerIds] : [],
    },
  });
  return stored === 'stale' ? 'changed meanwhile' : 'done';
}

/** Whether a person can choose these answers together. Modified apps can send any. */
function isChoiceOf({ kind, payload }: Message, options: readonly string[]): boolean {
  if (kind !== 'poll' || payload === null || !('options' in payload)) return false;
  const isOnce = new Set(options).size === options.length;
  return (
    isOnce &&
    options.every((option) => payload.options.includes(option)) &&
    (payload.multiple || options.length <= 1)
  );
}

async function edit(
  context: ServiceContext,
  held: LeasedInstance,
  { deed, target }: Doing<'edit'>,
): Promise<DeedResult> {
  const { message, isByAuthor } = target;
  if (!isByAuthor) return 'forbidden';
  // The network has not confirmed the message, so it cannot have been edited.
  if (message.status === 'queued') return 'unknown';
  const now = context.clock.now();
  const at = reportedTime(deed.at, now);
  const about = { instanceId: message.instanceId, messageId: message.id };
  const text = receivedText(context, about, deed.text);
  const decision = editMessage(message, { text, at }, now);
  if (decision.kind === 'unchanged') return 'done';
  if (decision.kind !== 'edited') return decision.kind;
  const stored = await storeActivity(context, held, {
    // Without a time, a later edit back to the same text would look like a repeat.
    key: at === null ? null : activityKey(context, deed.kind, message.id, text, at),
    event: context.newEvent({
      type: 'message.edited',
      workspaceId: message.workspaceId,
      data: { message: messageResource(decision.message), edit: doneBy(deed, target, now) },
      now,
    }),
    change: { message: decision.message, expected: message },
  });
  return stored === 'stale' ? 'changed meanwhile' : 'done';
}

async function remove(
  context: ServiceContext,
  held: LeasedInstance,
  { deed, target }: Doing<'deletion'>,
): Promise<DeedResult> {
  const { message, isByAuthor } = target;
  // Gateways also report deletions by group admins, and only gateways know who the admins are.
  if (!isByAuthor && message.groupId === null) return 'forbidden';
  if (message.status === 'queued') return 'unknown';
  if (message.deletedAt !== null) return 'done';
  const now = context.clock.now();
  const deleted = deleteMessage(message, reportedTime(deed.at, now) ?? now);
  const stored = await storeActivity(context, held, {
    // Not needed, because a message is deleted only once.
    key: null,
    event: context.newEvent({
      type: 'message.deleted',
      workspaceId: message.workspaceId,
      data: { message: messageResource(deleted), deletion: doneBy(deed, target, now) },
      now,
    }),
    change: { message: deleted, expected: message },
  });
  if (stored === 'stale') return 'changed meanwhile';
  await deleteFile(context, message);
  return 'done';
}

/** Deletes the file now, without waiting for a sweep. */
export async function deleteFile(context: ServiceContext, message: Message): Promise<void> {
  if (message.media?.available) await discardUpload(context, { contentId: contentIdOf(message) });
}

function doneBy({ own, at }: Deed, { contact }: Target, now: number) {
  return {
    contact: own || contact === null ? null : contactResource(contact),
    own,
    at: timestampOrNull(reportedTime(at, now)),
  };
}
