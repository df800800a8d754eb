import type { Contact, ContactReport } from '../domain/contact/contact.ts';
import { boundedReport } from '../domain/contact/bounded-report.ts';
import type { LeasedInstance } from '../ports/storage/lease-store.ts';
import type { ServiceContext } from './context.ts';
import { FencedError } from './instances/fenced-error.ts';

/** The person that a gateway reports. Null if the report has no network id that can be one. */
export async function knownContact(
  { storage, clock, logger }: ServiceContext,
  { instance, lease }: LeasedInstance,
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
