import type { Group, GroupReport } from '../../domain/instance/group.ts';
import type { Instance } from '../../domain/instance/instance.ts';
import { mediaFilename } from '../../domain/message/media-filename.ts';
import type { Message, MessageMedia } from '../../domain/message/message.ts';
import type { GroupsExtent, IncomingContent, IncomingFile, IncomingMessage } from '../../ports/gateway.ts';
import { noMedia } from '../../ports/no-media.ts';
import type { Lease } from '../../ports/storage/lease.ts';
import type { ServiceContext } from '../context.ts';
import { FencedError } from '../instances/fenced-error.ts';
import { detectedOr } from '../media/detect-file-type.ts';
import type { DownloadTurns } from '../media/download-turns.ts';
import { isSourceFailure, sourceStream } from '../media/source-stream.ts';
import { discardUpload, storeUpload } from '../media/store-upload.ts';
import type { StoredUpload } from '../media/store-upload.ts';
import { timelyStream } from '../media/timely-stream.ts';
import { messageEvent } from './advance-message.ts';

/** A network that sends nothing of a file for this long is not waited for: the message matters more. */
const DOWNLOAD_STALLED_MS = 60_000;

/** The instance that a report is about, and the right to write it. */
export interface Held {
  readonly instance: Instance;
  readonly lease: Lease;
}

/** What receives the messages of an instance. */
interface Receiving extends Held {
  readonly downloads: DownloadTurns;
  /** Throws where the connection that reported the message has ended: the next one reports it again. */
  readonly checkCurrent: () => void;
  /** Aborted when this process stops receiving for the instance. */
  readonly signal: AbortSignal;
}

/**
 * Stores an inbound message with its event, once: the network may deliver it again. Its file is stored before, so that
 * receivers can download it as soon as they hear of it; where the network does not deliver it, the message says so.
 * Rejects where the file cannot be stored here: such a message must not be acknowledged.
 */
export async function receiveMessage(
  context: ServiceContext,
  receiving: Receiving,
  incoming: IncomingMessage,
): Promise<void> {
  const now = context.clock.now();
  // Made when the message arrives, whenever its file does: lists are in the order of the ids.
  const arrival: Arrival = { id: context.newId('msg', now), at: now, incoming, upload: null };
  const { content } = incoming;
  if (content.type === 'text' || context.media === noMedia) return store(context, receiving, arrival);
  // Here alone files wait for each other: no text and no receipt waits for one.
  return receiving.downloads.take(async () => {
    receiving.checkCurrent();
    if (await isStored(context, receiving.instance, incoming)) return;
    const upload = await storeFile(context, receiving, { ...arrival, file: content.file });
    await store(context, receiving, { ...arrival, upload });
  });
}

interface Arrival {
  /** Of the message. */
  readonly id: string;
  readonly at: number;
  readonly incoming: IncomingMessage;
  /** Null where there is no file, or none that the network delivers. */
  readonly upload: StoredUpload | null;
}

async function store(context: ServiceContext, held: Held, arrival: Arrival): Promise<void> {
  const { instance, lease } = held;
  const { incoming, upload } = arrival;
  const group =
    incoming.groupNetworkId === null ? null : await knownGroup(context, held, incoming.groupNetworkId);
  const message = inboundMessage(instance, group, arrival);
  // Where this throws, nobody knows whether the message is stored: its file stays, and is swept if it is not.
  const stored = await context.storage.messages.receive(lease, {
    message,
    senderId: incoming.senderId,
    event: messageEvent(context, { message, event: 'message.received' }, context.clock.now()),
  });
  if (stored === 'received') context.metrics.messageReceived(message);
  if (upload && stored !== 'received') await discardUpload(context, upload);
  if (stored === 'fenced') throw new FencedError(instance.id);
}

/** Looked up before a file is downloaded for nothing; without one, storing the message finds out. */
function isStored(
  { storage }: ServiceContext,
  { id }: Instance,
  { networkId, senderId }: IncomingMessage,
): Promise<boolean> {
  return storage.messages.hasInbound(id, networkId, senderId);
}

/** Null where the network does not deliver the file. Rejects where it does, and it cannot be stored here. */
async function storeFile(
  context: ServiceContext,
  { instance, signal }: Receiving,
  { id, incoming, file }: Arrival & { readonly file: IncomingFile },
): Promise<StoredUpload | null> {
  const { clock, logger } = context;
  const facts = { instanceId: instance.id, networkId: incoming.networkId };
  const content = sourceStream(
    timelyStream(clock, DOWNLOAD_STALLED_MS, () => file.open()),
    signal,
  );
  try {
    const stored = await storeUpload(context, { content, type: null, contentId: id });
    if (stored.ok) return stored.value;
    logger.warn({ ...facts, code: stored.refusal.code }, 'a received file is not kept');
  } catch (error) {
    signal.throwIfAborted();
    if (!isSourceFailure(error)) {
      logger.error({ ...facts, err: error }, NOT_STORED);
      throw error;
    }
    logger.warn({ ...facts, err: error }, 'the network did not deliver a received file');
  }
  return null;
}

const NOT_STORED =
  'The file of a received message could not be stored, so the message is not acknowledged and the network delivers it again. Restore the media store; the error says what it lacks.';

function inboundMessage(
  instance: Instance,
  group: Group | null,
  { id, at, incoming, upload }: Arrival,
): Message {
  const { networkId, from, content } = incoming;
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
    createdAt: at,
    queuedAt: null,
    sentAt: null,
    deliveredAt: null,
    readAt: null,
    failedAt: null,
    receivedAt: at,
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
  // As each connection reports that knows of no change: nothing to write, and no transaction to find that out in.
  if (groups.length === 0 && !full) return;
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
