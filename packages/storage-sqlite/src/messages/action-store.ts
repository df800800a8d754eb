import { actionEntryId, decideActionAcceptance } from '@trunkline/core/spi/storage';
import type {
  ActionAcceptance,
  ActionAcceptanceResult,
  ActionOutcome,
  ActionStore,
  ContentChange,
  RememberedAction,
} from '@trunkline/core/spi/storage';
import type { Connected } from '../database/connection.ts';
import type { Database } from '../database/database.ts';
import { readPage } from '../database/page.ts';
import { storeEvents } from '../deliveries/event-fan-out.ts';
import type { Transaction } from '../deliveries/event-fan-out.ts';
import { isHeld } from '../processes/lease.ts';
import { entities } from '../rows/row.ts';
import { changedContent, writeContent } from './content-change.ts';
import { countQueued, enqueue, findTarget } from './message-acceptance.ts';
import { actionsOn, isActionQueued, markRead, OF_MESSAGE, updateAction } from './message-actions.ts';
import { isBehindOthers, leaveQueue } from './message-queue.ts';
import { isScheduled } from './scheduled-messages.ts';

export function actionStore(connected: Connected): ActionStore {
  return {
    accept: async (acceptance) => {
      const { database, write } = connected();
      return write((announce) => {
        const result = accept(database, acceptance);
        const { instanceId } = acceptance.action;
        if (result.kind === 'accepted') announce({ topic: 'queue', instanceId });
        return result;
      });
    },
    findByKey: async (workspaceId, key) => findByKey(connected().database, workspaceId, key),
    list: async (workspaceId, messageId, page) => {
      const list = {
        table: 'message_actions',
        where: OF_MESSAGE,
        parts: [[messageId, workspaceId]],
      };
      return readPage(connected().database, list, page, entities.messageAction.read);
    },
    listOnMessages: async (workspaceId, messageIds) => {
      const { database } = connected();
      const rows = messageIds.flatMap((id) => actionsOn(database, id, workspaceId));
      return rows.map(entities.messageAction.read).toSorted((a, b) => (a.id < b.id ? -1 : 1));
    },
    finish: async (lease, outcome) => {
      const { database, newId, write } = connected();
      return write((announce) => {
        if (!isHeld(database, lease)) return 'fenced';
        if (outcome.action.instanceId !== lease.instanceId) return 'stale';
        return finishAction({ database, newId, announce }, outcome);
      });
    },
  };
}

/** Writes the outcome of an action, which leaves its queue, if it is still queued and its change still applies. */
export function finishAction(
  transaction: Transaction,
  outcome: ActionOutcome,
): 'finished' | 'stale' | 'message_changed' {
  const { database } = transaction;
  const { id, instanceId } = outcome.action;
  if (!isActionQueued(database, id)) return 'stale';
  if (outcome.change && !writeContent(database, instanceId, outcome.change)) return 'message_changed';
  markRead(database, outcome);
  updateAction(database, outcome);
  leaveQueue(database, instanceId, actionEntryId(id));
  storeEvents(transaction, outcome.events);
  return 'finished';
}

function accept(database: Database, acceptance: ActionAcceptance): ActionAcceptanceResult {
  const { action, idempotency, backlogLimit, inPlace } = acceptance;
  const { workspaceId, instanceId, messageId } = action;
  const found = findTarget(database, instanceId);
  const target = found?.workspaceId === workspaceId ? found : null;
  const remembered = idempotency && findByKey(database, workspaceId, idempotency.key);
  const result = decideActionAcceptance(acceptance, {
    remembered,
    instance: target && {
      acceptsMessages: target.acceptsMessages,
      queued: countQueued(database, target, backlogLimit),
    },
    hasMessage: database.get(HAS_MESSAGE, messageId, instanceId) !== undefined,
    isWaiting: inPlace !== null && isWaiting(database, acceptance, inPlace.change),
  });
  const isInPlace = result.kind === 'edited_in_place';
  if ((result.kind !== 'accepted' && !isInPlace) || target === null) return result;
  if (remembered) database.run(FORGET_KEY, remembered.action.id);
  database.insert('message_actions', {
    ...entities.messageAction.columns(isInPlace && inPlace ? inPlace.action : action),
    ...entities.actionKey.columns(idempotency),
  });
  if (isInPlace && inPlace) writeContent(database, instanceId, inPlace.change);
  else enqueue(database, target, { messageId: actionEntryId(action.id), recipient: action.recipient });
  return result;
}

/** See `ActionAcceptanceFacts.isWaiting`. */
function isWaiting(database: Database, { action }: ActionAcceptance, change: ContentChange): boolean {
  const found = changedContent(database, action.instanceId, change);
  if (!found) return false;
  return isScheduled(database, found.stored) || isBehindOthers(database, found.stored, action.createdAt);
}

const HAS_MESSAGE = 'SELECT 1 FROM messages WHERE id = ? AND instance_id = ?';

const FORGET_KEY = 'UPDATE message_actions SET idempotency_key = NULL, fingerprint = NULL WHERE id = ?';

function findByKey(database: Database, workspaceId: string, key: string): RememberedAction | null {
  // Relies on message_actions_by_key.
  const sql = 'SELECT * FROM message_actions WHERE idempotency_key = ? AND workspace_id = ?';
  const row = database.get(sql, key, workspaceId);
  const stored = row ? entities.actionKey.read(row) : null;
  return row && stored ? { action: entities.messageAction.read(row), fingerprint: stored.fingerprint } : null;
}
