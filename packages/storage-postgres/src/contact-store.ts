import { decideContact, networkIdsOf } from '@trunkline/core/spi/storage';
import type { Contact, ContactDecision, ContactReport, ContactStore } from '@trunkline/core/spi/storage';
import type { Connected, Transaction } from './database.ts';
import { isHeld } from './lease.ts';
import { entities } from './row.ts';
import type { Statements } from './statements.ts';
import { encodeText } from './text-encoding.ts';
import { uuidOf, uuidToFind } from './uuid.ts';

export function contactStore(connected: Connected): ContactStore {
  return {
    save: async ({ lease, workspaceId, report, now }) => {
      const database = connected();
      const { instanceId } = lease;
      const decide = async (statements: Statements): Promise<ContactDecision> =>
        decideContact(report, await findReported(statements, instanceId, report), () => ({
          id: database.newId('con', now),
          workspaceId,
          instanceId,
          createdAt: now,
        }));
      // Most reports say nothing new: they take this one statement.
      const { contact, written } = await decide(database);
      if (written.length === 0) return contact;
      return database.transaction(async (transaction) => {
        // One save at a time: who finds a person new is the one to make the contact. The locks of the messages that are
        // being received are released first, so that all that comes after a merge sees what it was stored under.
        if (!(await isHeld(transaction, lease, 'instance'))) return 'fenced';
        const decided = await decide(transaction);
        if (decided.written.length > 0) await store(transaction, instanceId, decided);
        return decided.contact;
      });
    },
    find: async (workspaceId, instanceId, id) => {
      const [workspace, instance] = [uuidToFind('ten', workspaceId), uuidToFind('ins', instanceId)];
      const row = await connected().get(FIND, uuidToFind('con', id), instance, workspace);
      return row ? entities.contact.read(row) : null;
    },
  };
}

async function findReported(
  { all }: Statements,
  instanceId: string,
  report: ContactReport,
): Promise<readonly Contact[]> {
  const networkIds = networkIdsOf(report).map(encodeText);
  const rows = await all(FIND_REPORTED, uuidToFind('ins', instanceId), networkIds);
  return rows.map(entities.contact.read);
}

async function store({ run }: Transaction, instanceId: string, decided: ContactDecision): Promise<void> {
  const { contact, written, mergedIds, droppedNetworkIds } = decided;
  const [own, instance] = [uuidOf('con', contact.id), uuidOf('ins', instanceId)];
  for (const one of written) await run(REPLACE, ...Object.values(entities.contact.columns(one)));
  const merged = mergedIds.map((id) => uuidOf('con', id));
  if (merged.length > 0) await run(MERGE, own, merged);
  if (droppedNetworkIds.length > 0) await run(DROP, instance, droppedNetworkIds.map(encodeText));
  await run(NAME, instance, own, networkIdsOf(contact).map(encodeText));
}

const COLUMNS = Object.keys(entities.contact.kinds);

const REPLACE = `
  INSERT INTO trunkline.contacts (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map((_, index) => `$${index + 1}`).join(', ')})
  ON CONFLICT (id) DO UPDATE SET ${COLUMNS.map((name) => `${name} = excluded.${name}`).join(', ')}`;

const MERGE = 'UPDATE trunkline.contacts SET merged_into = $1 WHERE id = ANY ($2::uuid[])';

const DROP =
  'DELETE FROM trunkline.contact_network_ids WHERE instance_id = $1 AND network_id = ANY ($2::text[])';

const NAME = `
  INSERT INTO trunkline.contact_network_ids (instance_id, network_id, contact_id)
  SELECT $1, network_id, $2 FROM unnest($3::text[]) AS named (network_id)
  ON CONFLICT (instance_id, network_id) DO UPDATE SET contact_id = excluded.contact_id`;

const FIND = `
  SELECT contact.*
  FROM trunkline.contacts AS given
  JOIN trunkline.contacts AS contact ON contact.id = coalesce(given.merged_into, given.id)
  WHERE given.id = $1 AND given.instance_id = $2 AND given.workspace_id = $3`;

const FIND_REPORTED = `
  SELECT * FROM trunkline.contacts WHERE id = ANY (ARRAY(
    SELECT contact_id FROM trunkline.contact_network_ids WHERE instance_id = $1 AND network_id = ANY ($2::text[])
  ))`;
