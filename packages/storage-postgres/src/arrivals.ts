import { networkIdsOf } from '@trunkline/core/spi/storage';
import type { Arrival, Contact } from '@trunkline/core/spi/storage';
import { columnsOf } from './column-arrays.ts';
import { MESSAGE_SHAPE, messageColumns } from './message-row.ts';
import type { Statements } from './statements.ts';
import { encodeText } from './text-encoding.ts';
import { uuidOf, uuidToFind } from './uuid.ts';

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

/** Returns whether the message was new. The caller has locked the lease, so no merge of contacts runs concurrently. */
export async function insertArrival(
  statements: Statements,
  { message, senderId, contact }: Arrival,
): Promise<boolean> {
  const columns = messageColumns(message, contact ? ofContact(uuidOf('con', contact.id)) : senderId);
  const inserted = await statements.run(INSERT, ...Object.values(columns), sendersOf({ senderId, contact }));
  return inserted > 0;
}

// Relies on messages_by_network_id.
const hasArrivedAs = (instance: string, networkId: string, senders: string): string => `EXISTS (
    SELECT 1 FROM trunkline.messages
    WHERE instance_id = ${instance}::uuid AND network_id = ${networkId}::text AND direction = 'inbound'
      AND sender_id = ANY (${senders}::text[])
  )`;

const COLUMNS = columnsOf(MESSAGE_SHAPE);
const place = (name: string): string => `$${COLUMNS.indexOf(name) + 1}::${MESSAGE_SHAPE[name]}`;
const SENDERS = `$${COLUMNS.length + 1}`;

/** The current contact, because the given contact may have been merged into another since it was read. */
const CURRENT = `(SELECT coalesce(merged_into, id) FROM trunkline.contacts WHERE id = ${place('contact_id')})`;

const VALUES = COLUMNS.map((name) => {
  if (name === 'contact_id') return CURRENT;
  if (name === 'sender_id') return `coalesce('contact ' || ${CURRENT}::text, ${place('sender_id')})`;
  return place(name);
});

const INSERT = `
  INSERT INTO trunkline.messages (${COLUMNS.join(', ')})
  SELECT ${VALUES.join(', ')}
  WHERE NOT ${hasArrivedAs(place('instance_id'), place('network_id'), SENDERS)}
  ON CONFLICT (instance_id, network_id, direction, sender_id) DO NOTHING`;
