import type { Message, MessageChange } from '@trunkline/core/spi/storage';
import type { Transaction } from './database.ts';
import { storeEvents } from './event-fan-out.ts';
import { changeableColumns, MESSAGE_COLUMNS, readMessage } from './message-row.ts';
import { uuidToFind } from './uuid.ts';

/** Writes a message's next state while it is still in the one that it was decided on. Answers whether it was. */
export async function changeMessage(transaction: Transaction, change: MessageChange): Promise<boolean> {
  if (!(await writeMessage(transaction, change))) return false;
  if (leavesQueue(change)) await leaveQueue(transaction, [change.message]);
  await storeEvents(transaction, change.events);
  return true;
}

/** Settles every queued message of an instance, in the order of the queue. The caller holds the lock of the queue. */
export async function settleQueue(
  transaction: Transaction,
  instance: string,
  settle: (message: Message) => MessageChange,
): Promise<void> {
  const changes: MessageChange[] = [];
  for (const row of await transaction.all(QUEUED, instance)) {
    const change = settle(readMessage(row));
    if (await writeMessage(transaction, change)) changes.push(change);
  }
  await leaveQueue(
    transaction,
    changes.filter(leavesQueue).map(({ message }) => message),
  );
  await storeEvents(
    transaction,
    changes.flatMap(({ events }) => events),
  );
}

const QUEUED = `
  SELECT ${MESSAGE_COLUMNS}
  FROM trunkline.queued_messages JOIN trunkline.messages AS item ON item.id = queued_messages.message_id
  WHERE queued_messages.instance_id = $1
  ORDER BY queued_messages.position`;

async function writeMessage(
  transaction: Transaction,
  { message, expectedStatus }: MessageChange,
): Promise<boolean> {
  const columns = changeableColumns(message);
  const changes = Object.keys(columns).map((name, index) => `${name} = $${index + 4}`);
  const written = await transaction.run(
    `UPDATE trunkline.messages SET ${changes.join(', ')} WHERE id = $1 AND instance_id = $2 AND status = $3`,
    uuidToFind('msg', message.id),
    uuidToFind('ins', message.instanceId),
    expectedStatus,
    ...Object.values(columns),
  );
  return written > 0;
}

function leavesQueue({ expectedStatus, message }: MessageChange): boolean {
  return expectedStatus === 'queued' && message.status !== 'queued';
}

async function leaveQueue(transaction: Transaction, messages: readonly Message[]): Promise<void> {
  if (messages.length === 0) return;
  await transaction.run(
    LEAVE_QUEUE,
    messages.map(({ id }) => uuidToFind('msg', id)),
  );
}

// The length is counted with each row that comes and goes, in the transaction of that.
const LEAVE_QUEUE = `
  WITH gone AS (
    DELETE FROM trunkline.queued_messages WHERE message_id = ANY ($1::uuid[]) RETURNING instance_id
  )
  UPDATE trunkline.queues SET length = length - left_now.messages
  FROM (SELECT instance_id, count(*) AS messages FROM gone GROUP BY instance_id) AS left_now
  WHERE queues.instance_id = left_now.instance_id`;
