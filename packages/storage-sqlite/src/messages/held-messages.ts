import { latestHold, QUEUE_WINDOW } from '@trunkline/core/spi/storage';
import type { PeopleOfMessages, Postponement } from '@trunkline/core/spi/storage';
import type { Database } from '../database/database.ts';
import { integer, text } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';

/** A condition that is true unless the work of the instance's workspace is postponed. */
export const isWorkOn = (instanceId: string): string => `NOT EXISTS (
    SELECT 1 FROM instances JOIN workspaces ON workspaces.id = instances.workspace_id
    WHERE instances.id = ${instanceId} AND is_postponed = 1
  )`;

/** Whether any instance holds a message, which is rare. */
export function holdsAny(database: Database): boolean {
  return database.get('SELECT 1 FROM held_messages LIMIT 1') !== undefined;
}

/**
 * The held messages of an instance that have been due longest, with `tries` and `held_since`, and behind them those that
 * are due too far ahead, because the clock was set back.
 */
export function longestDue(
  database: Database,
  instanceId: string,
  { now, limit }: { readonly now: number; readonly limit: number },
): readonly Row[] {
  const due = database.all(DUE, instanceId, now, limit);
  const tooFarAhead = database.all(DUE_TOO_LATE, instanceId, latestHold(now), limit);
  return [...due, ...tooFarAhead].slice(0, limit);
}

/**
 * Moves messages that wait for held messages from the front of the queue to `held_messages`, so that the messages
 * behind them can pass.
 */
export function letOthersPass(database: Database, instanceId: string): void {
  for (const row of database.all(WAITING, instanceId, QUEUE_WINDOW, instanceId)) {
    const position = integer(row, 'position');
    database.run(MOVE_ASIDE, instanceId, position);
    database.run('DELETE FROM queue WHERE instance_id = ? AND position = ?', instanceId, position);
  }
}

/** Postpones a message that is held or waits for a held message. Returns false for any other message. */
export function postponeHeld(
  database: Database,
  { messageId, tries, dueAt, heldSince }: Postponement,
): boolean {
  if (!database.get('SELECT 1 FROM held_messages WHERE message_id = ?', messageId)) return false;
  const sql =
    'UPDATE held_messages SET tries = ?, due_at = ?, held_since = coalesce(?, held_since) WHERE message_id = ?';
  database.run(sql, tries, dueAt, heldSince ?? null, messageId);
  return true;
}

export function holdMessage(
  database: Database,
  instanceId: string,
  { messageId, tries, dueAt, heldSince }: Postponement & { readonly heldSince: number },
): void {
  const row = database.get(PLACE, instanceId, messageId);
  if (!row) return;
  const position = integer(row, 'position');
  database.insert('held_messages', {
    message_id: messageId,
    instance_id: instanceId,
    position,
    recipient: text(row, 'recipient'),
    tries,
    due_at: dueAt,
    held_since: heldSince,
  });
  database.run('DELETE FROM queue WHERE instance_id = ? AND position = ?', instanceId, position);
}

/**
 * Removes a message from `held_messages`, and puts messages that waited only for it back into the queue. Returns
 * whether the message was found.
 */
export function leaveHeld(database: Database, messageId: string): boolean {
  const row = database.get(
    'SELECT instance_id, recipient FROM held_messages WHERE message_id = ?',
    messageId,
  );
  if (!row) return false;
  const [instanceId, recipient] = [text(row, 'instance_id'), text(row, 'recipient')];
  database.run('DELETE FROM held_messages WHERE message_id = ?', messageId);
  if (database.get(HELD_FOR, instanceId, recipient)) return true;
  database.run(PUT_BACK, instanceId, recipient);
  database.run('DELETE FROM held_messages WHERE instance_id = ? AND recipient = ?', instanceId, recipient);
  return true;
}

export function isPaced(database: Database, instanceId: string, messageId: string): boolean {
  return database.get(IS_PACED, messageId, instanceId) !== undefined;
}

/** See `MessageStore.releasePaced`. Returns whether there were any messages. */
export function releasePaced(
  database: Database,
  instanceId: string,
  { people, now }: { readonly people: PeopleOfMessages | null; readonly now: number },
): boolean {
  if (people === null) return database.run(RELEASE_ALL, now, now, instanceId) > 0;
  const recipients = JSON.stringify([...people.numbers, ...people.contactIds]);
  return database.run(RELEASE, now, now, instanceId, recipients) > 0;
}

// The pace of the instance holds a message, and not the network, if the hold begins when the message is due.
const IS_PACED = `
  SELECT 1 FROM held_messages WHERE message_id = ? AND instance_id = ? AND held_since = due_at`;

// Both queries rely on held_messages_paced.
const RELEASE_ALL = `
  UPDATE held_messages SET due_at = ?, held_since = ? WHERE instance_id = ? AND held_since = due_at`;

const RELEASE = `
  UPDATE held_messages SET due_at = ?, held_since = ?
  WHERE instance_id = ? AND recipient IN (SELECT value FROM json_each(?)) AND held_since = due_at`;

// Both queries rely on held_messages_due.
const DUE_WHERE = (bound: string): string => `
  SELECT messages.*, held.message_id AS entry_id, held.tries, held.held_since
  FROM held_messages AS held LEFT JOIN messages ON messages.id = held.message_id
  WHERE held.instance_id = ? AND held.held_since IS NOT NULL AND held.due_at ${bound}
    AND ${isWorkOn('held.instance_id')}
  ORDER BY held.due_at, held.position
  LIMIT ?`;
const DUE = DUE_WHERE('<= ?');
const DUE_TOO_LATE = DUE_WHERE('> ?');

const WAITING = `
  SELECT front.position
  FROM (SELECT position, recipient FROM queue WHERE instance_id = ? ORDER BY position LIMIT ?) AS front
  WHERE EXISTS (SELECT 1 FROM held_messages WHERE instance_id = ? AND recipient = front.recipient)`;

const MOVE_ASIDE = `
  INSERT INTO held_messages (message_id, instance_id, position, recipient, tries, due_at)
  SELECT message_id, instance_id, position, recipient, tries, due_at FROM queue
  WHERE instance_id = ? AND position = ?`;

const PLACE = `
  SELECT position, recipient FROM queue WHERE instance_id = ? AND message_id = ? ORDER BY position LIMIT 1`;

// Relies on held_messages_by_recipient.
const HELD_FOR = `
  SELECT 1 FROM held_messages WHERE instance_id = ? AND recipient = ? AND held_since IS NOT NULL`;

const PUT_BACK = `
  INSERT INTO queue (instance_id, position, message_id, recipient, tries, due_at)
  SELECT instance_id, position, message_id, recipient, tries, due_at FROM held_messages
  WHERE instance_id = ? AND recipient = ?`;
