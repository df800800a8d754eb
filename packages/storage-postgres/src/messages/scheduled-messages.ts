import { placeOf } from '@trunkline/core/spi/storage';
import type { Message } from '@trunkline/core/spi/storage';
import type { Statements } from '../database/statements.ts';
import { uuidOf } from '../rows/uuid.ts';

/**
 * Takes messages out of the schedule. Returns the uuids of those that were scheduled. The caller has locked the
 * messages.
 */
export async function unschedule(
  statements: Statements,
  messages: readonly Message[],
): Promise<ReadonlySet<string>> {
  const places = messages.flatMap((message) =>
    message.sendAt === null ? [] : [uuidOf('msg', placeOf(message))],
  );
  if (places.length === 0) return new Set();
  const gone = await statements.all(UNSCHEDULE, places);
  return new Set(gone.map((row) => String(row['message_id'])));
}

/** Keeps a message in the schedule until the transaction ends. Returns whether it is scheduled. */
export async function lockScheduled(statements: Statements, message: Message): Promise<boolean> {
  if (message.sendAt === null) return false;
  return (await statements.get(LOCK, uuidOf('msg', placeOf(message)))) !== undefined;
}

const LOCK = 'SELECT 1 FROM trunkline.scheduled_messages WHERE id = $1 FOR UPDATE';

const UNSCHEDULE = `
  DELETE FROM trunkline.scheduled_messages WHERE id = ANY ($1::uuid[]) RETURNING message_id`;

export async function hasScheduled(statements: Statements, instance: string): Promise<boolean> {
  return (await statements.get(OF_INSTANCE, instance)) !== undefined;
}

// Relies on scheduled_messages_by_instance.
const OF_INSTANCE = `
  SELECT 1 FROM trunkline.scheduled_messages WHERE instance_id = $1 LIMIT 1`;
