import { numbersOf, summaryOf } from '../../domain/contact/contact.ts';
import type { Contact } from '../../domain/contact/contact.ts';
import type { Group } from '../../domain/instance/group.ts';
import type { Instance } from '../../domain/instance/instance.ts';
import { dayOfNewNumber } from '../../domain/instance/pace.ts';
import { reportedTime } from '../../domain/message/inbound-bounds.ts';
import type { Message } from '../../domain/message/message.ts';
import type { IncomingMessage } from '../../ports/gateway.ts';
import type { ServiceContext } from '../context.ts';
import { contactGone, knownContact, SAVED_AGAIN_MAX } from '../contacts.ts';
import { FencedError } from '../instances/fenced-error.ts';
import { knownGroup } from '../instances/groups.ts';
import type { ArrivedFile, FileReceiving } from '../media/file-lane.ts';
import { discardUnlessTaken } from '../media/uploads.ts';
import { messageEvent } from './advance-message.ts';
import { receiveContent, receivedContent } from './received-content.ts';
import { repliedMessage } from './replies.ts';

/**
 * Stores an inbound message with its event once, although the network may deliver it again. The file is
 * stored before the message, so that receivers can download it as soon as they get the event. A late file is
 * downloaded later if the gateway has given a reference to it, and until then the message says that the file
 * is not available. Rejects if the file cannot be stored here, because such a message must not be
 * acknowledged.
 */
export async function receiveMessage(
  context: ServiceContext,
  receiving: FileReceiving,
  incoming: IncomingMessage,
): Promise<void> {
  const { instance } = receiving;
  const span = context.tracing.within(undefined, {
    name: 'receive message',
    kind: 'CONSUMER',
    attributes: () => ({
      'messaging.operation.type': 'receive',
      'messaging.operation.name': 'receive',
      'trunkline.workspace.id': instance.workspaceId,
      'trunkline.instance.id': instance.id,
    }),
  });
  let failure: string | null = 'not_stored';
  try {
    await span.run(() => storeIncoming(context, receiving, incoming, span.traceparent));
    failure = null;
  } finally {
    span.end(failure);
  }
}

async function storeIncoming(
  context: ServiceContext,
  receiving: FileReceiving,
  incoming: IncomingMessage,
  traceparent: string | null,
): Promise<void> {
  const now = context.clock.now();
  // Create the id when the message arrives, even if its file is late, because lists are sorted by id.
  const id = context.newId('msg', now);
  const contact = incoming.contact ? await knownContact(context, receiving, incoming.contact) : null;
  const arrival: Arrival = { id, at: now, incoming, contact, traceparent };
  const { networkId, senderId, content } = incoming;
  await receiveContent(context, receiving, {
    id,
    networkId,
    content,
    isStored: () => context.storage.messages.hasInbound(receiving.instance.id, networkId, senderId, contact),
    store: (file) => storeArrival(context, receiving, arrival, file),
  });
}

interface Arrival {
  readonly id: string;
  readonly at: number;
  readonly incoming: IncomingMessage;
  /** The author; null if the network does not name the author. */
  readonly contact: Contact | null;
  /** The trace context of the message (W3C `traceparent`); null if it is not traced. */
  readonly traceparent: string | null;
}

/** Returns the message if this call stored it, null if it was stored before. */
async function storeArrival(
  context: ServiceContext,
  held: FileReceiving,
  arrival: Arrival,
  { upload, download }: ArrivedFile,
): Promise<Message | null> {
  const { instance, lease } = held;
  const { incoming } = arrival;
  const group =
    incoming.groupNetworkId === null ? null : await knownGroup(context, held, incoming.groupNetworkId);
  let { contact } = arrival;
  for (let savedAgain = 0; ; savedAgain += 1) {
    const replyTo = await repliedMessage(context, instance, {
      incoming,
      contact,
      groupId: group?.id ?? null,
    });
    const message = inboundMessage(context, instance, { ...arrival, contact, upload, group, replyTo });
    // If this throws, the message may or may not be stored. Keep its file, which a sweep deletes if no message
    // has it.
    const stored = await context.storage.messages.receive(lease, {
      message,
      senderId: incoming.senderId,
      contact,
      event: messageEvent(context, { message, event: 'message.received' }, context.clock.now()),
      download,
    });
    if (stored === 'contact_gone' && incoming.contact && savedAgain < SAVED_AGAIN_MAX) {
      contact = await knownContact(context, held, incoming.contact);
      continue;
    }
    if (stored === 'received') {
      context.metrics.messageReceived(message);
      context.traffic.received(message);
      await releaseMessagesTo(context, held, { from: message.from, contact });
    }
    if (upload && stored !== 'received') await discardUnlessTaken(context, message, upload);
    if (stored === 'fenced') throw new FencedError(instance.id);
    if (stored === 'contact_gone') throw contactGone();
    return stored === 'received' ? message : null;
  }
}

/** Releases the messages to a person which waited only because the instance had no message of theirs. */
async function releaseMessagesTo(
  { storage, clock }: ServiceContext,
  { instance, pace }: FileReceiving,
  { from, contact }: { readonly from: string | null; readonly contact: Contact | null },
): Promise<void> {
  const now = clock.now();
  if (pace.newPeoplePerDay === null || dayOfNewNumber(instance.linkedAt, now) === null) return;
  const numbers = [...(from === null ? [] : [from]), ...(contact ? numbersOf(contact) : [])];
  const contactIds = contact ? [contact.id, ...contact.formerIds] : [];
  await storage.messages.releasePaced(instance.id, { people: { numbers, contactIds }, now });
}

interface Stored extends Arrival, Pick<ArrivedFile, 'upload'> {
  readonly group: Group | null;
  readonly replyTo: string | null;
}

function inboundMessage(
  context: ServiceContext,
  instance: Instance,
  { id, at, incoming, contact, traceparent, upload, group, replyTo }: Stored,
): Message {
  const { networkId, from, sentAt } = incoming;
  return {
    id,
    workspaceId: instance.workspaceId,
    instanceId: instance.id,
    networkId,
    direction: 'inbound',
    status: 'received',
    to: group ? null : instance.phoneNumber,
    from,
    groupId: group?.id ?? null,
    contact: contact && summaryOf(contact),
    replyTo,
    origin: null,
    ...receivedContent(context, { instanceId: instance.id, messageId: id, said: incoming, upload }),
    error: null,
    createdAt: at,
    sendAt: null,
    queuedAt: null,
    sentAt: reportedTime(sentAt, at),
    deliveredAt: null,
    readAt: null,
    failedAt: null,
    receivedAt: at,
    editedAt: null,
    deletedAt: null,
    traceparent,
  };
}
