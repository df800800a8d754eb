import type { Contact, ContactReport } from '../../domain/contact/contact.ts';
import type { Lease } from './lease.ts';

/** The people with whom each instance exchanges messages. They outlive their instance, as its messages do. */
export interface ContactStore {
  /**
   * Finds or adds the person in a report. `decideContact` decides from all contacts of the instance with one of the
   * reported network ids or dialled numbers; a new contact gets its id from `StorageContext.newId`. Concurrent reports
   * of one person result in one contact. A report that says nothing new writes nothing, takes at most one lookup, and
   * may resolve with the contact even if the lease has ended.
   */
  save(save: {
    readonly lease: Lease;
    readonly workspaceId: string;
    readonly report: ContactReport;
    readonly now: number;
  }): Promise<Contact | 'fenced'>;
  /**
   * Also finds a contact by the id of a contact that was merged into it. If `instanceId` is null, the contact may be of any
   * instance of the workspace.
   */
  find(workspaceId: string, instanceId: string | null, id: string): Promise<Contact | null>;
  /** The contact that has a number now (`ownerOfNumber`). */
  findByNumber(workspaceId: string, instanceId: string, digits: string): Promise<Contact | null>;
}
