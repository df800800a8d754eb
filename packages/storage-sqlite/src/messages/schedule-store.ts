import { failQueue, floorId, isStillLinked, SCHEDULE_STEP, timeOfPlace } from '@trunkline/core/spi/storage';
import type {
  Message,
  Page,
  PageRequest,
  QueueFailure,
  ScheduleFilter,
  ScheduleStore,
} from '@trunkline/core/spi/storage';
import type { Connected } from '../database/connection.ts';
import type { Database } from '../database/database.ts';
import { readPage } from '../database/page.ts';
import type { List } from '../database/page.ts';
import type { Transaction } from '../deliveries/event-fan-out.ts';
import { isHeld } from '../processes/lease.ts';
import { text, textOrNull } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import { changeMessage } from './message-change.ts';
import { enqueue, findTarget } from './message-acceptance.ts';
import type { Target } from './message-acceptance.ts';
import { readMessage } from './message-row.ts';
import { removePlace, scheduledOf, unschedule } from './scheduled-messages.ts';

export function scheduleStore(connected: Connected): ScheduleStore {
  return {
    list: async (workspaceId, filter, page) => {
      const { database } = connected();
      return database.snapshot(() => listScheduled(database, workspaceId, filter, page));
    },
    release: async (now, failure) => {
      const { database, newId, write } = connected();
      const first = nextTime(database);
      if (first === null || first > now) return first;
      return write((announce) => {
        release({ database, newId, announce }, now, failure);
        return nextTime(database);
      });
    },
    cancel: async (change) => {
      const { database, newId, write } = connected();
      return write((announce) => {
        if (!unschedule(database, change.message)) return 'stale';
        return changeMessage({ database, newId, announce }, change) ? 'changed' : 'stale';
      });
    },
    fail: async (lease, workspaceId, failure) => {
      const { database, newId, write } = connected();
      return write((announce) => {
        if (!isHeld(database, lease)) return 'fenced';
        const rows = scheduledOf(database, { workspaceId, id: lease.instanceId }, SCHEDULE_STEP);
        fail({ database, newId, announce }, rows, failure);
        return rows.length;
      });
    },
  };
}

function listScheduled(
  database: Database,
  workspaceId: string,
  { instanceId }: ScheduleFilter,
  page: PageRequest,
): Page<Message> {
  const list: List = {
    table: 'scheduled_messages',
    where: instanceId === undefined ? 'workspace_id = ?' : 'workspace_id = ? AND instance_id = ?',
    parts: [instanceId === undefined ? [workspaceId] : [workspaceId, instanceId]],
  };
  return readPage(database, list, page, (row) => messageOf(database, row));
}

function messageOf(database: Database, row: Row): Message {
  const stored = database.get('SELECT * FROM messages WHERE id = ?', text(row, 'message_id'));
  if (!stored) throw new Error(`The scheduled message ${text(row, 'message_id')} does not exist.`);
  return readMessage(database, stored);
}

function nextTime(database: Database): number | null {
  const row = database.get("SELECT id FROM scheduled_messages WHERE id > '' ORDER BY id LIMIT 1");
  return row ? timeOfPlace(text(row, 'id')) : null;
}

function release(transaction: Transaction, now: number, failure: QueueFailure): void {
  const { database, announce } = transaction;
  const targets = new Map<string, Target>();
  const unlinked: Row[] = [];
  for (const row of database.all(DUE, floorId('msg', now + 1), SCHEDULE_STEP)) {
    if (!isStillLinked(textOrNull(row, 'phone_number'), textOrNull(row, 'sender'))) {
      unlinked.push(row);
      continue;
    }
    const instanceId = text(row, 'instance_id');
    const target = targets.get(instanceId) ?? findTarget(database, instanceId);
    if (!target) throw new Error(`The instance ${instanceId} of a scheduled message does not exist.`);
    targets.set(instanceId, target);
    enqueue(database, target, { messageId: text(row, 'message_id'), recipient: text(row, 'recipient') });
    removePlace(database, text(row, 'id'));
  }
  for (const instanceId of targets.keys()) announce({ topic: 'queue', instanceId });
  fail(transaction, unlinked, failure);
}

function fail(transaction: Transaction, rows: readonly Row[], failure: QueueFailure): void {
  const { database, newId } = transaction;
  for (const row of rows) removePlace(database, text(row, 'id'));
  const messages = rows.map((row) => messageOf(database, row));
  for (const change of failQueue(messages, failure, newId)) changeMessage(transaction, change);
}

const DUE = `
  SELECT scheduled.*, messages.sender, instances.phone_number
  FROM scheduled_messages AS scheduled
  JOIN messages ON messages.id = scheduled.message_id
  LEFT JOIN instances ON instances.id = scheduled.instance_id
  WHERE scheduled.id < ?
  ORDER BY scheduled.id
  LIMIT ?`;
