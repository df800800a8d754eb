import { decideContact, networkIdsOf, ownerOfNumber } from '@trunkline/core/spi/storage';
import type { Contact, ContactDecision, ContactReport, ContactStore } from '@trunkline/core/spi/storage';
import type { Connected, Transaction } from '../database/database.ts';
import { isHeld } from '../processes/lease.ts';
import { entities } from '../rows/row.ts';
import type { Statements } from '../database/statements.ts';
import { encodeText } from '../rows/text-encoding.ts';
import { uuidOf, uuidToFind } from '../rows/uuid.ts';

export function contactStore(connected: Connected): ContactStore {
  return {
    save: async ({ lease, workspaceId, report, now }) => {
      const database = connected();
      const { instanceId } = lease;
      const owned = { workspace: uuidToFind('ten', workspaceId), instance: uuidToFind('ins', instanceId) };
      const decide = async (statements: Statements): Promise<ContactDecision> =>
        decideContact(report, await findReported(statements, owned, report), () => ({
          id: database.newId('con', now),
          workspaceId,
          instanceId,
          createdAt: now,
        }));
      // Most reports contain nothing new and need only this read.
      const { contact, written } = await decide(database);
      if (written.length === 0) return contact;
      return database.transaction(async (transaction) => {
        // With this lock, saves for an instance run one at a time, so that only one of them creates the contact of a
        // new person. They also wait for messages that are being received, which must not overlap with a merge of
        // contacts.
        if (!(await isHeld(transaction, lease, 'instance'))) return 'fenced';
        const decided = await decide(transaction);
        if (decided.written.length > 0) await store(transaction, instanceId, decided);
        return decided.contact;
      });
    },
    find: async (workspaceId, instanceId, id) => {
      const [contact, workspace] = [uuidToFind('con', id), uuidToFind('ten', workspaceId)];
      const row = await (instanceId === null
        ? connected().get(FIND, contact, workspace)
        : connected().get(FIND_OF_INSTANCE, contact, workspace, uuidToFind('ins', instanceId)));
      return row ? entities.contact.read(row) : null;
    },
    findByNumber: async (workspaceId, instanceId, digits) => {
      const contacts = await contactsWithNumbers(connected(), uuidToFind('ten', workspaceId), [digits]);
      return ownerOfNumber(
        digits,
        contacts.filter((contact) => contact.instanceId === instanceId),
      );
    },
  };
}

/** The contacts that have one of these numbers or were dialled by it, except merged contacts. */
export async function contactsWithNumbers(
  { all }: Statements,
  workspace: string | null,
  numbers: readonly string[],
): Promise<readonly Contact[]> {
  return (await all(WITH_NUMBERS, workspace, numbers.map(encodeText))).map(entities.contact.read);
}

/** Relies on contacts_by_number. */
const WITH_NUMBERS = `
  SELECT * FROM trunkline.contacts
  WHERE workspace_id = $1 AND phone_number = ANY ($2::text[]) AND merged_into IS NULL
  UNION ALL
  SELECT contact.* FROM trunkline.contact_numbers AS dialled
  JOIN trunkline.contacts AS contact ON contact.id = dialled.contact_id
  WHERE dialled.workspace_id = $1 AND dialled.number = ANY ($2::text[]) AND contact.merged_into IS NULL`;

interface Owned {
  readonly workspace: string | null;
  readonly instance: string | null;
}

async function findReported(
  { all }: Statements,
  { workspace, instance }: Owned,
  report: ContactReport,
): Promise<readonly Contact[]> {
  const named = await all(FIND_REPORTED, instance, networkIdsOf(report).map(encodeText));
  const { dialledNumbers = [] } = report;
  const dialled =
    dialledNumbers.length === 0
      ? []
      : await all(FIND_DIALLED, instance, workspace, dialledNumbers.map(encodeText));
  const found = [...named, ...dialled].map(entities.contact.read);
  return [...new Map(found.map((contact) => [contact.id, contact])).values()];
}

async function store({ run }: Transaction, instanceId: string, decided: ContactDecision): Promise<void> {
  const { contact, written, mergedIds, droppedNetworkIds } = decided;
  const [own, instance] = [uuidOf('con', contact.id), uuidOf('ins', instanceId)];
  for (const one of written) await run(REPLACE, ...Object.values(entities.contact.columns(one)));
  const merged = mergedIds.map((id) => uuidOf('con', id));
  if (merged.length > 0) await run(MERGE, own, merged);
  if (droppedNetworkIds.length > 0) await run(DROP, instance, droppedNetworkIds.map(encodeText));
  await run(NAME, instance, own, networkIdsOf(contact).map(encodeText));
  const { workspaceId, dialledNumbers } = contact;
  if (dialledNumbers.length > 0)
    await run(DIAL, instance, own, uuidOf('ten', workspaceId), dialledNumbers.map(encodeText));
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

const DIAL = `
  INSERT INTO trunkline.contact_numbers (workspace_id, number, instance_id, contact_id)
  SELECT $3, number, $1, $2 FROM unnest($4::text[]) AS dialled (number)
  ON CONFLICT (workspace_id, number, instance_id) DO UPDATE SET contact_id = excluded.contact_id`;

const FIND = `
  SELECT contact.*
  FROM trunkline.contacts AS given
  JOIN trunkline.contacts AS contact ON contact.id = coalesce(given.merged_into, given.id)
  WHERE given.id = $1 AND given.workspace_id = $2`;
const FIND_OF_INSTANCE = `${FIND} AND given.instance_id = $3`;

const FIND_REPORTED = `
  SELECT * FROM trunkline.contacts WHERE id = ANY (ARRAY(
    SELECT contact_id FROM trunkline.contact_network_ids WHERE instance_id = $1 AND network_id = ANY ($2::text[])
  ))`;

const FIND_DIALLED = `
  SELECT * FROM trunkline.contacts WHERE id = ANY (ARRAY(
    SELECT contact_id FROM trunkline.contact_numbers
    WHERE workspace_id = $2 AND number = ANY ($3::text[]) AND instance_id = $1
  ))`;
