import { networkIdsOf } from '@trunkline/core/spi/storage';
import type { Arrival, Contact, Lease } from '@trunkline/core/spi/storage';
import { noting } from './chat-filing.ts';
import { columnsOf } from '../rows/column-arrays.ts';
import { MESSAGE_SHAPE, messageColumns } from './message-row.ts';
import { IN_TRANSACTION } from '../database/session.ts';
import type { Statements } from '../database/statements.ts';
import { isLease } from '../processes/lease.ts';
import { encodeText } from '../rows/text-encoding.ts';
import { uuidOf, uuidToFind } from '../rows/uuid.ts';

/**
 * The `sender_id` of an inbound message with a contact. It names the contact, so that the index finds repeats under
 * several network ids. No network id equals it, because network ids contain no spaces.
 */
const ofContact = (uuid: string): string => `contact ${uuid}`;

interface Sender {
  readonly senderId: string;
  readonly contact: Contact | null | undefined;
}

/** All sender ids under which this sender's messages may be stored. */
function sendersOf({ senderId, contact }: Sender): readonly string[] {
  if (!contact) return [encodeText(senderId)];
  const ids = [contact.id, ...contact.formerIds].map((id) => ofContact(uuidOf('con', id)));
  return [...ids, ...[senderId, ...networkIdsOf(contact)].map(encodeText)];
}

interface ArrivalKey extends Sender {
  readonly instanceId: string;
  readonly networkId: string;
}

export async function hasArrived(statements: Statements, key: ArrivalKey): Promise<boolean> {
  const row = await statements.get(
    `SELECT 1 WHERE ${hasArrivedAs('$1', '$2', '$3')}`,
    uuidToFind('ins', key.instanceId),
    encodeText(key.networkId),
    sendersOf(key),
  );
  return row !== undefined;
}

/**
 * Inserts nothing unless `isHeld`, called before, has found the lease and locked it, so that no merge of contacts runs
 * concurrently. Need not wait for that result.
 */
export async function insertArrival(
  statements: Statements,
  { instanceId, owner, epoch }: Lease,
  { message, senderId, contact }: Arrival,
): Promise<'inserted' | 'duplicate' | 'contact_gone'> {
  const columns = messageColumns(message, contact ? ofContact(uuidOf('con', contact.id)) : senderId);
  const row = await statements.get(
    INSERT,
    ...Object.values(columns),
    sendersOf({ senderId, contact }),
    uuidToFind('ins', instanceId),
    encodeText(owner),
    epoch,
  );
  if (row?.['is_inserted'] === true) return 'inserted';
  return row?.['is_contact_gone'] === true ? 'contact_gone' : 'duplicate';
}

// Relies on messages_by_network_id.
const hasArrivedAs = (instance: string, networkId: string, senders: string): string => `EXISTS (
    SELECT 1 FROM trunkline.messages
    WHERE instance_id = ${instance}::uuid AND network_id = ${networkId}::text AND direction = 'inbound'
      AND sender_id = ANY (${senders}::text[])
  )`;

const COLUMNS = columnsOf(MESSAGE_SHAPE);
const place = (name: string): string => `$${COLUMNS.indexOf(name) + 1}::${MESSAGE_SHAPE[name]}`;
const behind = (number: number): string => `$${COLUMNS.length + number}`;
const SENDERS = behind(1);
const IS_LEASED = isLease(`${behind(2)}::uuid`, `${behind(3)}::text`, `${behind(4)}::bigint`);

/**
 * Reads the current contact, because the given one may have been merged into another since it was read, and locks it
 * against deletion.
 */
function keepCurrent(given: string): string {
  return `
    SELECT contact.id FROM trunkline.contacts AS given
    JOIN trunkline.contacts AS contact ON contact.id = coalesce(given.merged_into, given.id)
    WHERE given.id = ${given}
    FOR KEY SHARE OF contact`;
}

const VALUES = COLUMNS.map((name) => {
  if (name === 'contact_id') return '(SELECT id FROM current)';
  if (name === 'sender_id')
    return `coalesce('contact ' || (SELECT id FROM current)::text, ${place('sender_id')})`;
  return place(name);
});

const ARRIVED = hasArrivedAs(place('instance_id'), place('network_id'), SENDERS);
const IS_CONTACT_GONE = `${place('contact_id')} IS NOT NULL AND NOT EXISTS (SELECT FROM current)`;

const INSERT = `
  WITH current AS MATERIALIZED (
    ${keepCurrent(place('contact_id'))}
  ), inserted AS (
    INSERT INTO trunkline.messages (${COLUMNS.join(', ')})
    SELECT ${VALUES.join(', ')}
    WHERE ${IN_TRANSACTION} AND ${IS_LEASED} AND NOT (${IS_CONTACT_GONE}) AND NOT ${ARRIVED}
    ON CONFLICT (instance_id, network_id, direction, sender_id) DO NOTHING
    RETURNING id
  ), noted AS (
    ${noting('inserted')}
  )
  SELECT EXISTS (SELECT FROM inserted) AS is_inserted,
    ${IS_CONTACT_GONE} AND NOT ${ARRIVED} AS is_contact_gone`;

/** Locks the contact, or the one that it was merged into, against deletion. Returns whether it exists. */
export async function keepContact(statements: Statements, contactId: string): Promise<boolean> {
  return (await statements.get(KEEP_CONTACT, uuidOf('con', contactId))) !== undefined;
}

const KEEP_CONTACT = keepCurrent('$1');
