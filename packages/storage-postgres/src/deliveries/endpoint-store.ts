import { healthWhenClosed, isAsDecidedOn } from '@trunkline/core/spi/storage';
import type { EndpointStore, EndpointWrite } from '@trunkline/core/spi/storage';
import { FIRST_GENERATION } from '@trunkline/storage-kit';
import { closeLane, dropLane } from './cancellation.ts';
import type { Connected, Transaction } from '../database/database.ts';
import { addLane, lockLanes, resumeLane } from './lane.ts';
import { claimNotifications, completeNotification, oweNotification } from './owed-notifications.ts';
import type { OwedTable } from './owed-notifications.ts';
import { entities, flag } from '../rows/row.ts';
import { uuidOf, uuidToFind } from '../rows/uuid.ts';
import { deleteTraffic } from '../traffic/traffic-store.ts';

export function endpointStore(connected: Connected): EndpointStore {
  return {
    insert: (endpoint, limit) =>
      connected().transaction(async (transaction) => {
        const workspace = uuidOf('ten', endpoint.workspaceId);
        // Without this lock, two concurrent inserts could together exceed the limit.
        const owner = await transaction.get(LOCK_WORKSPACE, workspace);
        if (await transaction.get(REACHES, workspace, limit)) return 'limit_reached';
        const columns = { ...entities.endpoint.columns(endpoint), generation: FIRST_GENERATION };
        await transaction.insert('trunkline.endpoints', columns);
        const isPaused = owner !== undefined && flag(owner, 'is_postponed');
        await addLane(transaction, uuidOf('wh', endpoint.id), { workspace, isPaused });
        return 'inserted';
      }),
    find: async (workspaceId, id) => {
      const row = await connected().get(FIND, uuidToFind('wh', id), uuidToFind('ten', workspaceId));
      return row ? entities.endpoint.read(row) : null;
    },
    list: async (workspaceId) => {
      const listed = await connected().all(LIST, uuidToFind('ten', workspaceId));
      return listed.map(entities.endpoint.read);
    },
    write: (write) => connected().transaction((transaction) => writeEndpoint(transaction, write)),
    delete: (workspaceId, id, now) =>
      connected().transaction(async (transaction) => {
        const endpoint = uuidToFind('wh', id);
        if (endpoint === null) return false;
        await lockLanes(transaction, [endpoint]);
        // DELETE locks the endpoint, so nothing can be queued at it from then on.
        if ((await transaction.run(DELETE, endpoint, uuidToFind('ten', workspaceId), now)) === 0)
          return false;
        await resumeLane(transaction, endpoint);
        await closeLane(transaction, endpoint, 'ENDPOINT_DELETED');
        await dropLane(transaction, endpoint);
        await deleteTraffic(transaction, 'webhook', endpoint);
        return true;
      }),

    listFailing: async ({ before, after, limit }) => {
      const failing = await connected().all(FAILING, before, after && uuidToFind('wh', after), limit);
      return failing.map(entities.endpoint.read);
    },

    claimNotifications: async (claim) => claimNotifications(connected, OWED, claim),
    completeNotification: async (id) => completeNotification(connected, OWED, id),
  };
}

const LOCK_WORKSPACE = 'SELECT is_postponed FROM trunkline.workspaces WHERE id = $1 FOR NO KEY UPDATE';

/** Whether the workspace has at least `$2` endpoints; counts no further. */
const REACHES = `
  SELECT 1 WHERE (
    SELECT count(*) FROM (SELECT 1 FROM trunkline.endpoints WHERE workspace_id = $1 LIMIT $2) AS endpoint
  ) >= $2`;

const FIND = 'SELECT * FROM trunkline.endpoints WHERE id = $1 AND workspace_id = $2';
const LIST = 'SELECT * FROM trunkline.endpoints WHERE workspace_id = $1 ORDER BY id DESC';
/** Keeps the URL, as stored, in deleted_endpoints, because the endpoint's deliveries still show it. */
const DELETE = `
  WITH deleted AS (
    DELETE FROM trunkline.endpoints WHERE id = $1 AND workspace_id = $2 RETURNING id, url
  )
  INSERT INTO trunkline.deleted_endpoints (id, url, deleted_at) SELECT id, url, $3::bigint FROM deleted`;

/** Relies on endpoints_failing. */
const FAILING = `
  SELECT * FROM trunkline.endpoints
  WHERE status = 'enabled' AND exhausted AND failing_since IS NOT NULL AND failing_since <= $1
    AND id > coalesce($2::uuid, '00000000-0000-0000-0000-000000000000')
    AND NOT EXISTS (SELECT 1 FROM trunkline.lanes WHERE lanes.endpoint_id = endpoints.id AND is_paused)
  ORDER BY id LIMIT $3`;

const OWED: OwedTable = { table: 'trunkline.notices', column: 'notice' };

async function writeEndpoint(
  transaction: Transaction,
  write: EndpointWrite,
): Promise<'written' | 'stale' | 'limit_reached'> {
  const { endpoint, health, close, notification, enabledLimit } = write;
  const uuid = uuidOf('wh', endpoint.id);
  const workspace = uuidOf('ten', endpoint.workspaceId);
  // Locks the workspace first, as `insert` does. Without this lock, two concurrent writes could together exceed the
  // limit.
  if (enabledLimit !== undefined) await transaction.get(LOCK_WORKSPACE, workspace);
  // With these locks, a cancellation waits for transactions that are queueing deliveries at this endpoint, and keeps
  // out later ones.
  if (close) await lockLanes(transaction, [uuid]);
  const lock = close ? LOCK_TO_CLOSE : LOCK;
  const row = await transaction.get(lock, uuid, workspace);
  const stored = row && entities.endpoint.read(row);
  if (!stored || !isAsDecidedOn(stored, write)) return 'stale';
  if (enabledLimit !== undefined) {
    const others = await transaction.all(ENABLED_BESIDE, workspace, uuid);
    if (others.length >= enabledLimit) return 'limit_reached';
  }
  await transaction.update('trunkline.endpoints', uuid, {
    ...entities.endpointSettings.columns({ ...endpoint, version: endpoint.version + 1 }),
    ...(close ? entities.endpointHealth.columns(healthWhenClosed(stored.health)) : {}),
    ...(health ? entities.endpointFailures.columns(endpoint.health) : {}),
  });
  if (close) await closeLane(transaction, uuid, close);
  if (notification) await oweNotification(transaction, OWED, notification);
  return 'written';
}

/** Relies on endpoints_by_workspace. */
const ENABLED_BESIDE = `
  SELECT id FROM trunkline.endpoints WHERE workspace_id = $1 AND status = 'enabled' AND id <> $2`;

const LOCK = 'SELECT * FROM trunkline.endpoints WHERE id = $1 AND workspace_id = $2 FOR NO KEY UPDATE';
const LOCK_TO_CLOSE = 'SELECT * FROM trunkline.endpoints WHERE id = $1 AND workspace_id = $2 FOR UPDATE';
