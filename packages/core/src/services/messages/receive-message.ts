import type { Group } from '../../domain/instance/group.ts';
import type { Instance } from '../../domain/instance/instance.ts';
import { mediaFilename } from '../../domain/message/media-filename.ts';
import type { Message, MessageMedia } from '../../domain/message/message.ts';
import type { IncomingContent, IncomingMessage } from '../../ports/gateway.ts';
import { noMedia } from '../../ports/media-store.ts';
import type { LeasedInstance } from '../../ports/storage/lease-store.ts';
import type { ServiceContext } from '../context.ts';
import { FencedError } from '../instances/fenced-error.ts';
import { knownGroup } from '../instances/groups.ts';
import { detectedOr } from '../media/file-type.ts';
import { receiveFile } from '../media/incoming-files.ts';
import type { DownloadTurns } from '../media/incoming-files.ts';
import { discardUpload } from '../media/uploads.ts';
import type { StoredUpload } from '../media/uploads.ts';
import { messageEvent } from './advance-message.ts';

/** What receives the messages of an instance. */
interface Receiving extends LeasedInstance {
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
  if (content.type === 'text' || context.mediaStore === noMedia) return store(context, receiving, arrival);
  // Here alone files wait for each other: no text and no receipt waits for one.
  return receiving.downloads.take(async () => {
    receiving.checkCurrent();
    if (await isStored(context, receiving.instance, incoming)) return;
    const upload = await receiveFile(context, receiving, { ...arrival, file: content.file });
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

async function store(context: ServiceContext, held: LeasedInstance, arrival: Arrival): Promise<void> {
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
