import { decideContact, networkIdsOf, ownerOfNumber } from '@trunkline/core/spi/storage';
import type { Contact, ContactReport, ContactStore } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/connection.ts';
import type { Database } from '../database/database.ts';
import { isHeld } from '../processes/lease.ts';
import { entities } from '../rows/row.ts';

export function contactStore(connected: Connected): ContactStore {
  return {
    save: async ({ lease, workspaceId, report, now }) => {
      const { database, newId, write } = connected();
      const { instanceId } = lease;
      const decide = () =>
        decideContact(report, reported(database, { workspaceId, instanceId }, report), () => ({
          id: newId('con', now),
          workspaceId,
          instanceId,
          createdAt: now,
        }));
      // Most reports contain nothing new, and need not wait for the lock.
      const { contact, written } = decide();
      if (written.length === 0) return contact;
      return write(() => {
        if (!isHeld(database, lease)) return 'fenced';
        const decided = decide();
        const { id } = decided.contact;
        for (const other of decided.written) replaceContact(database, other);
        for (const merged of decided.mergedIds) {
          database.run('UPDATE contacts SET merged_into = ? WHERE id = ?', id, merged);
        }
        for (const dropped of decided.droppedNetworkIds) {
          database.run(
            'DELETE FROM contact_network_ids WHERE instance_id = ? AND network_id = ?',
            instanceId,
            dropped,
          );
        }
        for (const networkId of networkIdsOf(decided.contact)) {
          database.run(NAME, instanceId, networkId, id);
        }
        for (const number of decided.contact.dialledNumbers) {
          database.run(DIAL, workspaceId, number, instanceId, id);
        }
        return decided.contact;
      });
    },
    find: async (workspaceId, instanceId, id) => {
      const contact = currentContact(connected().database, id);
      const isOf = instanceId === null || contact?.instanceId === instanceId;
      return contact?.workspaceId === workspaceId && isOf ? contact : null;
    },
    findByNumber: async (workspaceId, instanceId, digits) => {
      const contacts = contactsWithNumber(connected().database, workspaceId, digits);
      return ownerOfNumber(
        digits,
        contacts.filter((contact) => contact.instanceId === instanceId),
      );
    },
  };
}

/** The contacts that have this number or were dialled by it, except merged contacts. */
export function contactsWithNumber(
  database: Database,
  workspaceId: string,
  digits: string,
): readonly Contact[] {
  return database.all(WITH_NUMBER, workspaceId, digits, workspaceId, digits).map(entities.contact.read);
}

/** Relies on contacts_by_number. */
const WITH_NUMBER = `
  SELECT * FROM contacts WHERE workspace_id = ? AND phone_number = ? AND merged_into IS NULL
  UNION ALL
  SELECT contact.* FROM contact_numbers AS dialled JOIN contacts AS contact ON contact.id = dialled.contact_id
  WHERE dialled.workspace_id = ? AND dialled.number = ? AND contact.merged_into IS NULL`;

/** The contact with this id, or the contact into which it was merged. */
export function currentContact(database: Database, id: string): Contact | null {
  const row = database.get(CURRENT, id);
  return row ? entities.contact.read(row) : null;
}

const CURRENT = `
  SELECT contact.* FROM contacts AS given JOIN contacts AS contact
    ON contact.id = coalesce(given.merged_into, given.id)
  WHERE given.id = ?`;

/** The contacts that have one of the network ids or dialled numbers of a report. */
function reported(
  database: Database,
  { workspaceId, instanceId }: { readonly workspaceId: string; readonly instanceId: string },
  report: ContactReport,
): readonly Contact[] {
  const named = database.all(REPORTED, instanceId, JSON.stringify(networkIdsOf(report)));
  const dialled = (report.dialledNumbers ?? []).flatMap((number) =>
    database.all(DIALLED, workspaceId, number, instanceId),
  );
  const found = [...named, ...dialled].map((row) => entities.contact.read(row));
  return [...new Map(found.map((contact) => [contact.id, contact])).values()];
}

const REPORTED = `
  SELECT * FROM contacts WHERE id IN (
    SELECT contact_id FROM contact_network_ids
    WHERE instance_id = ? AND network_id IN (SELECT value FROM json_each(?))
  )`;

const DIALLED = `
  SELECT * FROM contacts WHERE id IN (
    SELECT contact_id FROM contact_numbers WHERE workspace_id = ? AND number = ? AND instance_id = ?
  )`;

function replaceContact(database: Database, contact: Contact): void {
  const columns = entities.contact.columns(contact);
  const isKnown = database.get('SELECT 1 FROM contacts WHERE id = ?', contact.id) !== undefined;
  if (isKnown) database.update('contacts', contact.id, columns);
  else database.insert('contacts', columns);
}

const NAME = `
  INSERT INTO contact_network_ids (instance_id, network_id, contact_id) VALUES (?, ?, ?)
  ON CONFLICT (instance_id, network_id) DO UPDATE SET contact_id = excluded.contact_id`;

const DIAL = `
  INSERT INTO contact_numbers (workspace_id, number, instance_id, contact_id) VALUES (?, ?, ?, ?)
  ON CONFLICT (workspace_id, number, instance_id) DO UPDATE SET contact_id = excluded.contact_id`;
