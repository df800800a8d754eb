import type { Group, GroupReport } from '../../domain/instance/group.ts';
import type { Instance } from '../../domain/instance/instance.ts';
import { mediaFilename } from '../../domain/message/media-filename.ts';
import type { Message, MessageMedia } from '../../domain/message/message.ts';
import type { GroupsExtent, IncomingContent, IncomingMessage } from '../../ports/gateway.ts';
import { noMedia } from '../../ports/no-media.ts';
import type { Lease } from '../../ports/storage/lease.ts';
import type { ServiceContext } from '../context.ts';
import { FencedError } from '../instances/change-instance.ts';
import { detectedOr } from '../media/detect-file-type.ts';
import { discardUpload, storeUpload } from '../media/store-upload.ts';
import type { StoredUpload } from '../media/store-upload.ts';
import { timelyStream } from '../media/timely-stream.ts';
import { messageEvent } from './message-events.ts';

/** A network that sends nothing of a file for this long is not waited for: the message matters more. */
const DOWNLOAD_STALLED_MS = 60_000;

/** The instance that a report is about, and the right to write it. */
export interface Held {
  readonly instance: Instance;
  readonly lease: Lease;
}

/**
 * Stores an inbound message with its event, once: the network may deliver it again. Its file is stored before, so that
 * receivers can download it as soon as they hear of it; where it cannot be had, the message says so.
 */
export async function receiveMessage(
  context: ServiceContext,
  held: Held,
  incoming: IncomingMessage,
): Promise<void> {
  const { instance, lease } = held;
  if (await isRepeatWithFile(context, instance, incoming)) return;
  // Made when the message arrives, whenever its file does: lists are in the order of the ids.
  const id = context.newId('msg', context.clock.now());
  const upload = await storeFile(context, incoming.content, { id, instanceId: instance.id });
  const group =
    incoming.groupNetworkId === null ? null : await knownGroup(context, held, incoming.groupNetworkId);
  const message = inboundMessage(context, { id, instance, incoming, group, upload });
  // Where this throws, nobody knows whether the message is stored: its file stays, and is swept if it is not.
  const stored = await context.storage.messages.receive(lease, {
    message,
    senderId: incoming.senderId,
    event: messageEvent(context, { message, event: 'message.received' }, message.createdAt),
  });
  if (stored === 'received') context.metrics.messageReceived(message);
  if (upload && stored !== 'received') await discardUpload(context, upload);
  if (stored === 'fenced') throw new FencedError(instance.id);
}

/** Looked up before a file is downloaded for nothing; without one, storing the message finds out. */
async function isRepeatWithFile(
  context: ServiceContext,
  { id }: Instance,
  { content, networkId, senderId }: IncomingMessage,
): Promise<boolean> {
  return content.type !== 'text' && (await context.storage.messages.hasInbound(id, networkId, senderId));
}

/** Null where there is no file, or none to be had. */
async function storeFile(
  context: ServiceContext,
  content: IncomingContent,
  { id, instanceId }: Pick<Message, 'id' | 'instanceId'>,
): Promise<StoredUpload | null> {
  if (content.type === 'text' || context.media === noMedia) return null;
  const { file } = content;
  try {
    const bytes = timelyStream(context.clock, DOWNLOAD_STALLED_MS, () => file.open());
    const stored = await storeUpload(context, { content: bytes, type: null, contentId: id });
    if (stored.ok) return stored.value;
    context.logger.warn({ instanceId, code: stored.refusal.code }, 'a received file is not kept');
  } catch (error) {
    context.logger.warn({ err: error, instanceId }, 'a received file could not be had');
  }
  return null;
}

interface Arrival {
  readonly id: string;
  readonly instance: Instance;
  readonly incoming: IncomingMessage;
  readonly group: Group | null;
  readonly upload: StoredUpload | null;
}

function inboundMessage(
  context: ServiceContext,
  { id, instance, incoming, group, upload }: Arrival,
): Message {
  const { networkId, from, content } = incoming;
  const now = context.clock.now();
  return {
    id,
    workspaceId: instance.workspaceId,
    instanceId: instance.id,
    networkId,
    direction: 'inbound',
    type: content.type,
    status: 'received',
    to: group ? null : instance.phoneNumber,
    from,
    groupId: group?.id ?? null,
    text: content.type === 'text' ? content.text : null,
    caption: content.type === 'text' ? null : content.caption,
    media: content.type === 'text' ? null : mediaOf(id, content, upload),
    error: null,
    createdAt: now,
    queuedAt: null,
    sentAt: null,
    deliveredAt: null,
    readAt: null,
    failedAt: null,
    receivedAt: now,
  };
}

function mediaOf(
  messageId: string,
  { type, file }: Exclude<IncomingContent, { type: 'text' }>,
  upload: StoredUpload | null,
): MessageMedia {
  const { mimeType, extension } = detectedOr(upload, file.mimeType);
  return {
    available: upload !== null,
    mimeType,
    size: upload?.size ?? null,
    filename: mediaFilename(file.filename, { type, messageId, extension }),
    sha256: upload?.sha256 ?? null,
  };
}

/**
 * A message can come before the group's own report: then the group is noted by its network name until that comes, or by
 * what was known of it when it was left.
 */
async function knownGroup(context: ServiceContext, held: Held, networkId: string): Promise<Group | null> {
  const { instances } = context.storage;
  const known = await instances.findGroupByNetworkId(held.instance.id, networkId);
  if (known?.isMember === true) return known;
  const { name, participantsCount } = known ?? { name: networkId, participantsCount: 0 };
  await saveGroups(context, held, [{ networkId, name, participantsCount }]);
  return instances.findGroupByNetworkId(held.instance.id, networkId);
}

export async function saveGroups(
  context: ServiceContext,
  { instance, lease }: Held,
  groups: readonly GroupReport[],
  { full }: GroupsExtent = { full: false },
): Promise<void> {
  const { workspaceId } = instance;
  const { newId, clock } = context;
  const saved = await context.storage.instances.saveGroups({
    lease,
    workspaceId,
    groups,
    full,
    now: clock.now(),
    newId,
  });
  if (saved === 'fenced') throw new FencedError(instance.id);
}
