import type { Contact, ContactReport } from '../domain/contact/contact.ts';
import { boundedReport } from '../domain/contact/bounded-report.ts';
import type { Instance } from '../domain/instance/instance.ts';
import type { Message } from '../domain/message/message.ts';
import type { SendOutcome } from '../ports/gateway.ts';
import type { Lease } from '../ports/storage/lease.ts';
import type { ServiceContext } from './context.ts';
import { FencedError } from './instances/fenced-error.ts';

interface HeldInstance {
  readonly instance: Pick<Instance, 'id' | 'workspaceId'>;
  readonly lease: Lease;
}

/** Stores and returns a reported person. Null if the report has no valid network id. */
export async function knownContact(
  { storage, clock, logger }: ServiceContext,
  { instance, lease }: HeldInstance,
  reported: ContactReport,
): Promise<Contact | null> {
  const report = boundedReport(reported);
  if (!report) {
    logger.debug(
      { instanceId: instance.id },
      'a contact was reported without a network id that can be stored: the message has none',
    );
    return null;
  }
  const { workspaceId, id } = instance;
  const contact = await storage.contacts.save({ lease, workspaceId, report, now: clock.now() });
  if (contact === 'fenced') throw new FencedError(id);
  return contact;
}

/** How many times the contact of one message is saved again because it was erased before the message was stored. */
export const SAVED_AGAIN_MAX = 5;

/** For a message whose contact was erased each time. The gateway reports the message again later. */
export function contactGone(): Error {
  return new Error(
    `The contact of a message was erased ${SAVED_AGAIN_MAX + 1} times before the message was stored.`,
  );
}

/** Stores the recipient's contact if the network reports one whose number is not the dialled number. */
export async function noteRecipient(
  context: ServiceContext,
  lease: Lease,
  { workspaceId, instanceId: id, to }: Message,
  { recipient }: SendOutcome,
): Promise<void> {
  if (!recipient || to === null || recipient.phoneNumber === to) return;
  await knownContact(
    context,
    { instance: { id, workspaceId }, lease },
    { ...recipient, dialledNumbers: [to] },
  );
}
