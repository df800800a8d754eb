import { isPostponed } from '@trunkline/core/spi/storage';
import type { Member, Workspace, WorkspaceChanges, WorkspaceStore } from '@trunkline/core/spi/storage';
import type { Connected, Transaction } from './database.ts';
import { lookingUp } from './look-ups.ts';
import { pauseLanes, resumeWork } from './postponement.ts';
import { flag, id, integer, integerOrNull, json, text } from './row.ts';
import type { Row } from './row.ts';
import type { Columns } from './statements.ts';
import { encodeText } from './text-encoding.ts';
import { uuidOf, uuidToFind } from './uuid.ts';

export function workspaceStore(connected: Connected): WorkspaceStore {
  const lookUp = lookingUp(connected, 'trunkline.workspaces');
  return {
    insert: async (workspace) => connected().insert('trunkline.workspaces', columnsOf(workspace)),
    find: async (workspaceId) => {
      const row = await lookUp(uuidToFind('ten', workspaceId));
      return row ? readWorkspace(row) : null;
    },
    list: async ({ after, limit }) => {
      const database = connected();
      const rows =
        after === null
          ? await database.all('SELECT * FROM trunkline.workspaces ORDER BY id LIMIT $1', limit)
          : await database.all(LIST_AFTER, limit, uuidToFind('ten', after));
      return rows.map(readWorkspace);
    },
    update: async (workspaceId, changes) =>
      connected().transaction((transaction) => updateWorkspace(transaction, workspaceId, changes)),

    insertMember: async (member) => connected().insert('trunkline.members', memberColumns(member)),
    findMember: async (workspaceId, memberId) => {
      const row = await connected().get(
        'SELECT * FROM trunkline.members WHERE id = $1 AND workspace_id = $2',
        uuidToFind('mem', memberId),
        uuidToFind('ten', workspaceId),
      );
      return row ? readMember(row) : null;
    },
    listMembers: async (workspaceId) => {
      const sql = 'SELECT * FROM trunkline.members WHERE workspace_id = $1 ORDER BY id';
      return (await connected().all(sql, uuidToFind('ten', workspaceId))).map(readMember);
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
      return readMember(row);
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
  const stored = readWorkspace(row);
  const next = { ...stored, ...changes, plan: { ...stored.plan, ...changes.plan } };
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
  return {
    id: uuidOf('ten', workspace.id),
    name: encodeText(workspace.name),
    plan: JSON.stringify(workspace.plan),
    trial_messages_used: workspace.trialMessagesUsed,
    suspended_at: workspace.suspendedAt,
    is_postponed: isPostponed(workspace),
    created_at: workspace.createdAt,
  };
}

export function readWorkspace(row: Row): Workspace {
  return {
    id: id(row, 'id', 'ten'),
    name: text(row, 'name'),
    plan: json(row, 'plan'),
    trialMessagesUsed: integer(row, 'trial_messages_used'),
    suspendedAt: integerOrNull(row, 'suspended_at'),
    createdAt: integer(row, 'created_at'),
  };
}

function memberColumns(member: Member): Columns {
  return {
    id: uuidOf('mem', member.id),
    workspace_id: uuidOf('ten', member.workspaceId),
    email: encodeText(member.email),
    email_verified: member.emailVerified,
    administers_webhooks: member.administersWebhooks,
    created_at: member.createdAt,
  };
}

export function readMember(row: Row): Member {
  return {
    id: id(row, 'id', 'mem'),
    workspaceId: id(row, 'workspace_id', 'ten'),
    email: text(row, 'email'),
    emailVerified: flag(row, 'email_verified'),
    administersWebhooks: flag(row, 'administers_webhooks'),
    createdAt: integer(row, 'created_at'),
  };
}
