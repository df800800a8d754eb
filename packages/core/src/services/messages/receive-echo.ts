import { summaryOf } from '../../domain/contact/contact.ts';
import { reportedTime } from '../../domain/message/inbound-bounds.ts';
import type { Message } from '../../domain/message/message.ts';
import type { Activity } from '../../ports/gateway.ts';
import type { LeasedInstance } from '../../ports/storage/lease-store.ts';
import { messageResource } from '../../resources/message.ts';
import { contactGone, knownContact, SAVED_AGAIN_MAX } from '../contacts.ts';
import type { ServiceContext } from '../context.ts';
import { FencedError } from '../instances/fenced-error.ts';
import { knownGroup } from '../instances/groups.ts';
import type { ArrivedFile, FileReceiving } from '../media/file-lane.ts';
import { discardUpload } from '../media/uploads.ts';
import { receiveContent, receivedContent } from './received-content.ts';
import { repliedMessage } from './replies.ts';

type Echo = Extract<Activity, { kind: 'echo' }>;

/**
 * Stores a message that the owner of the number sent with the phone, with its event. Ignores repeats, and messages
 * that the service sent.
 */
export async function receiveEcho(
  context: ServiceContext,
  receiving: FileReceiving,
  echo: Echo,
): Promise<void> {
  const { networkId, content } = echo;
  const now = context.clock.now();
  // Create the id when the message arrives, even if its file is late, because lists are sorted by id.
  const arrival = { id: context.newId('msg', now), at: now, echo };
  const isStored = async (): Promise<boolean> => {
    const ids = await context.networkIds.idsBehind(networkId);
    return (await context.storage.messages.findOutbound(receiving.instance.id, networkId, ids)) !== null;
  };
  // Check here, because `recordEcho` may not recognise messages that this service accepted.
  if (await isStored()) return;
  await receiveContent(context, receiving, {
    id: arrival.id,
    networkId,
    content,
    isStored,
    store: (file) => storeEcho(context, receiving, arrival, file),
  });
}

interface Arrival {
  readonly id: string;
  readonly at: number;
  readonly echo: Echo;
}

/** Returns the message if this call stored it, null if it was stored before. */
async function storeEcho(
  context: ServiceContext,
  held: LeasedInstance,
  arrival: Arrival,
  { upload, download }: ArrivedFile,
): Promise<Message | null> {
  const { instance, lease } = held;
  for (let savedAgain = 0; ; savedAgain += 1) {
    const message = await echoMessage(context, held, arrival, upload);
    const event = context.newEvent({
      type: 'message.echo',
      workspaceId: instance.workspaceId,
      data: { message: messageResource(message) },
      now: context.clock.now(),
    });
    // If this throws, the message may or may not be stored. Keep its file, which a sweep deletes if no message
    // has it.
    const stored = await context.storage.activities.recordEcho(lease, { message, event, download });
    if (stored === 'contact_gone' && savedAgain < SAVED_AGAIN_MAX) continue;
    if (upload && stored !== 'recorded') await discardUpload(context, upload);
    if (stored === 'fenced') throw new FencedError(instance.id);
    if (stored === 'contact_gone') throw contactGone();
    return stored === 'recorded' ? message : null;
  }
}

async function echoMessage(
  context: ServiceContext,
  held: LeasedInstance,
  { id, at, echo }: Arrival,
  upload: ArrivedFile['upload'],
): Promise<Message> {
  const { instance } = held;
  const { networkId, to, groupNetworkId, replyTo, sentAt } = echo;
  const contact = echo.contact && (await knownContact(context, held, echo.contact));
  const group = groupNetworkId === null ? null : await knownGroup(context, held, groupNetworkId);
  const reply = { incoming: { replyTo, from: to }, contact, groupId: group?.id ?? null };
  return {
    id,
    workspaceId: instance.workspaceId,
    instanceId: instance.id,
    networkId,
    direction: 'outbound',
    status: 'sent',
    to: group ? null : to,
    from: instance.phoneNumber,
    groupId: group?.id ?? null,
    contact: contact && summaryOf(contact),
    replyTo: await repliedMessage(context, instance, reply),
    origin: 'device',
    ...receivedContent(context, { instanceId: instance.id, messageId: id, said: echo, upload }),
    error: null,
    createdAt: at,
    sendAt: null,
    queuedAt: null,
    sentAt: reportedTime(sentAt, at) ?? at,
    deliveredAt: null,
    readAt: null,
    failedAt: null,
    receivedAt: null,
    editedAt: null,
    deletedAt: null,
    traceparent: null,
  };
}
