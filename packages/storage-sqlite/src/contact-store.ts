import { decideContact, networkIdsOf } from '@trunkline/core/spi/storage';
import type { Contact, ContactReport, ContactStore } from '@trunkline/core/spi/storage';
import type { Connected } from './connection.ts';
import type { Database } from './database.ts';
import { isHeld } from './lease.ts';
import { entities } from './row.ts';

export function contactStore(connected: Connected): ContactStore {
  return {
    save: async ({ lease, workspaceId, report, now }) => {
      const { database, newId, write } = connected();
      const { instanceId } = lease;
      const decide = () =>
        decideContact(report, reported(database, instanceId, report), () => ({
          id: newId('con', now),
          workspaceId,
          instanceId,
          createdAt: now,
        }));
      // Most reports say nothing new: they need not wait for the lock.
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
        return decided.contact;
      });
    },
    find: async (workspaceId, instanceId, id) => {
      const contact = currentContact(connected().database, id);
      return contact?.workspaceId === workspaceId && contact.instanceId === instanceId ? contact : null;
    },
  };
}

/** The contact that an id names now. */
export function currentContact(database: Database, id: string): Contact | null {
  const row = database.get(CURRENT, id);
  return row ? entities.contact.read(row) : null;
}

const CURRENT = `
  SELECT contact.* FROM contacts AS given JOIN contacts AS contact
    ON contact.id = coalesce(given.merged_into, given.id)
  WHERE given.id = ?`;

/** The contacts that have one of the network ids of a report. */
function reported(database: Database, instanceId: string, report: ContactReport): readonly Contact[] {
  return database
    .all(REPORTED, instanceId, JSON.stringify(networkIdsOf(report)))
    .map((row) => entities.contact.read(row));
}

const REPORTED = `
  SELECT * FROM contacts WHERE id IN (
    SELECT contact_id FROM contact_network_ids
    WHERE instance_id = ? AND network_id IN (SELECT value FROM json_each(?))
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
