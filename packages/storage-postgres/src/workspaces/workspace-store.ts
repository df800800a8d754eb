import { changedWorkspace, isPostponed } from '@trunkline/core/spi/storage';
import type { Workspace, WorkspaceChanges, WorkspaceStore } from '@trunkline/core/spi/storage';
import type { Connected, Transaction } from '../database/database.ts';
import { lookingUp } from '../database/look-ups.ts';
import { pauseLanes, resumeWork } from './postponement.ts';
import { entities } from '../rows/row.ts';
import type { Columns } from '../database/statements.ts';
import { encodeText } from '../rows/text-encoding.ts';
import { uuidToFind } from '../rows/uuid.ts';

export function workspaceStore(connected: Connected): WorkspaceStore {
  const lookUp = lookingUp(connected, 'trunkline.workspaces');
  return {
    insert: async (workspace) => connected().insert('trunkline.workspaces', columnsOf(workspace)),
    find: async (workspaceId) => {
      const row = await lookUp(uuidToFind('ten', workspaceId));
      return row ? entities.workspace.read(row) : null;
    },
    list: async ({ after, limit }) => {
      const database = connected();
      const found =
        after === null
          ? await database.all('SELECT * FROM trunkline.workspaces ORDER BY id LIMIT $1', limit)
          : await database.all(LIST_AFTER, limit, uuidToFind('ten', after));
      return found.map(entities.workspace.read);
    },
    update: async (workspaceId, changes) =>
      connected().transaction((transaction) => updateWorkspace(transaction, workspaceId, changes)),

    insertMember: async (member) => connected().insert('trunkline.members', entities.member.columns(member)),
    findMember: async (workspaceId, memberId) => {
      const row = await connected().get(
        'SELECT * FROM trunkline.members WHERE id = $1 AND workspace_id = $2',
        uuidToFind('mem', memberId),
        uuidToFind('ten', workspaceId),
      );
      return row ? entities.member.read(row) : null;
    },
    listMembers: async (workspaceId) => {
      const sql = 'SELECT * FROM trunkline.members WHERE workspace_id = $1 ORDER BY id';
      return (await connected().all(sql, uuidToFind('ten', workspaceId))).map(entities.member.read);
    },
    updateMember: async (workspaceId, memberId, { email, emailVerified, administersWebhooks }) => {
      const database = connected();
      const row = await database.get(
        UPDATE_MEMBER,
        uuidToFind('mem', memberId),
        uuidToFind('ten', workspaceId),
        email === undefined ? null : encodeText(email),
        emailVerified ?? null,
        administersWebhooks ?? null,
      );
      if (!row) return null;
      database.publish([{ topic: 'workspace', workspaceId }]);
      return entities.member.read(row);
    },
    deleteMember: async (workspaceId, memberId, now) => {
      const database = connected();
      const row = await database.get(
        DELETE_MEMBER,
        uuidToFind('mem', memberId),
        uuidToFind('ten', workspaceId),
        now,
      );
      if (row) database.publish([{ topic: 'workspace', workspaceId }]);
      return row !== undefined;
    },
  };
}

const LIST_AFTER = 'SELECT * FROM trunkline.workspaces WHERE id > $2 ORDER BY id LIMIT $1';

const LOCK = 'SELECT * FROM trunkline.workspaces WHERE id = $1 FOR NO KEY UPDATE';

async function updateWorkspace(
  transaction: Transaction,
  workspaceId: string,
  changes: WorkspaceChanges,
): Promise<Workspace | null> {
  const uuid = uuidToFind('ten', workspaceId);
  const row = await transaction.get(LOCK, uuid);
  if (!row || uuid === null) return null;
  const stored = entities.workspace.read(row);
  const next = changedWorkspace(stored, changes);
  await transaction.update('trunkline.workspaces', uuid, columnsOf(next));
  if (isPostponed(next)) await pauseLanes(transaction, uuid);
  else if (isPostponed(stored)) await resumeWork(transaction, uuid);
  transaction.announce({ topic: 'workspace', workspaceId });
  return next;
}

const UPDATE_MEMBER = `
  UPDATE trunkline.members
  SET email = coalesce($3, email), email_verified = coalesce($4, email_verified),
    administers_webhooks = coalesce($5, administers_webhooks)
  WHERE id = $1 AND workspace_id = $2
  RETURNING *`;

const DELETE_MEMBER = `
  WITH deleted AS (
    DELETE FROM trunkline.members WHERE id = $1 AND workspace_id = $2 RETURNING id, workspace_id
  ), revoked AS (
    UPDATE trunkline.api_keys SET revoked_at = $3
    FROM deleted
    WHERE api_keys.workspace_id = deleted.workspace_id AND member_id = deleted.id AND revoked_at IS NULL
  )
  SELECT id FROM deleted`;

function columnsOf(workspace: Workspace): Columns {
  return { ...entities.workspace.columns(workspace), is_postponed: isPostponed(workspace) };
}
