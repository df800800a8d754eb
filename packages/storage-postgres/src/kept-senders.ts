import { keepLookUps, SENDER_KEPT_MS } from '@trunkline/core/spi/storage';
import type { IdPrefix, KeptLookUps, MessageStore, Sender, Signal } from '@trunkline/core/spi/storage';
import type { Connected } from './database.ts';
import { lookingUp } from './look-ups.ts';
import { id, integerOrNull, json, textOrNull, word, wordOrNull } from './row.ts';
import type { Row } from './row.ts';
import { uuidToFind } from './uuid.ts';

/** Workspaces, and instances, that this process keeps at most: less than a kilobyte each. */
const KEPT_MAX = 10_000;

export interface KeptSenders {
  readonly find: MessageStore['findSender'];
  /** Forgets what this process or another one has changed. */
  hear(signal: Signal): void;
}

/**
 * What messages are sent by. Every request needs it: looked up each time, it costs this process and the server more than
 * storing what the request brings. Rows are kept by their own ids, and belong to a workspace by what they say.
 */
export function keptSenders(connected: Connected): KeptSenders {
  const instances = keptRows(connected, 'trunkline.instances', 'ins', readInstance);
  const workspaces = keptRows(connected, 'trunkline.workspaces', 'ten', readWorkspace);
  return {
    async find(workspaceId, instanceId, { now, fresh }) {
      const [workspace, instance] = await Promise.all([
        workspaces.find(workspaceId, now, { fresh }),
        instances.find(instanceId, now, { fresh }),
      ]);
      if (!workspace) return null;
      const own = instance?.workspaceId === workspaceId ? instance : null;
      return { workspace, revision: `${own?.storedNumber ?? ''} ${workspace.storedTerms}`, instance: own };
    },
    hear(signal) {
      if (signal.topic === 'instance') instances.forget(signal.instanceId);
      if (signal.topic === 'workspace') workspaces.forget(signal.workspaceId);
    },
  };
}

/** `Sender.revision` as it is now, in SQL: null where there is no such sender any more. */
export function revisionNow(workspaceId: string, instanceId: string): string {
  return `
    SELECT concat(phone_number, ' ', suspended_at, ' ', plan)
    FROM trunkline.instances JOIN trunkline.workspaces ON workspaces.id = instances.workspace_id
    WHERE instances.id = ${instanceId} AND workspaces.id = ${workspaceId}`;
}

function keptRows<Value>(
  connected: Connected,
  table: 'trunkline.instances' | 'trunkline.workspaces',
  prefix: IdPrefix,
  read: (row: Row) => Value,
): KeptLookUps<Value | null> {
  const lookUp = lookingUp(connected, table);
  return keepLookUps({
    lookUp: async (key) => {
      const row = await lookUp(uuidToFind(prefix, key));
      return row ? read(row) : null;
    },
    isWorthKeeping: (value) => value !== null,
    maxAgeMs: SENDER_KEPT_MS,
    max: KEPT_MAX,
  });
}

interface KeptInstance extends NonNullable<Sender['instance']> {
  /** As it stands in the database, empty for null: compared with what `revisionNow` makes of it. */
  readonly storedNumber: string;
}

function readInstance(row: Row): KeptInstance {
  return Object.freeze({
    id: id(row, 'id', 'ins'),
    workspaceId: id(row, 'workspace_id', 'ten'),
    phoneNumber: textOrNull(row, 'phone_number'),
    storedNumber: wordOrNull(row, 'phone_number') ?? '',
  });
}

type KeptWorkspace = Sender['workspace'] & { readonly storedTerms: string };

function readWorkspace(row: Row): KeptWorkspace {
  return Object.freeze({
    plan: Object.freeze(json<Sender['workspace']['plan']>(row, 'plan')),
    suspendedAt: integerOrNull(row, 'suspended_at'),
    storedTerms: `${integerOrNull(row, 'suspended_at') ?? ''} ${word(row, 'plan')}`,
  });
}
