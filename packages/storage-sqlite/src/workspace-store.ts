import { isPostponed } from '@trunkline/core/spi/storage';
import type { Member, Workspace, WorkspaceStore } from '@trunkline/core/spi/storage';
import type { Connected } from './connection.ts';
import type { Columns, Database } from './database.ts';
import { pauseLanes, resumeWork } from './postponement.ts';
import { flag, integer, integerOrNull, json, text } from './row.ts';
import type { Row } from './row.ts';

export function workspaceStore(connected: Connected): WorkspaceStore {
  return {
    insert: async (workspace) => {
      const { database, write } = connected();
      await write(() => database.insert('workspaces', columnsOf(workspace)));
    },
    find: async (id) => findWorkspace(connected().database, id),
    list: async ({ after, limit }) => {
      const { database } = connected();
      return database
        .all('SELECT * FROM workspaces WHERE id > ? ORDER BY id LIMIT ?', after ?? '', limit)
        .map(readWorkspace);
    },
    update: async (id, changes) => {
      const { database, write } = connected();
      return write((announce) => {
        const stored = findWorkspace(database, id);
        if (!stored) return null;
        const next = { ...stored, ...changes, plan: { ...stored.plan, ...changes.plan } };
        database.update('workspaces', id, columnsOf(next));
        if (isPostponed(next)) pauseLanes(database, id);
        else if (isPostponed(stored)) resumeWork(database, id, announce);
        announce({ topic: 'workspace', workspaceId: id });
        return next;
      });
    },

    insertMember: async (member) => {
      const { database, write } = connected();
      await write(() => database.insert('members', memberColumns(member)));
    },
    findMember: async (workspaceId, id) => findMember(connected().database, workspaceId, id),
    listMembers: async (workspaceId) => {
      const { database } = connected();
      return database
        .all('SELECT * FROM members WHERE workspace_id = ? ORDER BY id', workspaceId)
        .map(readMember);
    },
    updateMember: async (workspaceId, id, changes) => {
      const { database, write } = connected();
      return write((announce) => {
        const stored = findMember(database, workspaceId, id);
        if (!stored) return null;
        const next = { ...stored, ...changes };
        database.update('members', id, memberColumns(next));
        announce({ topic: 'workspace', workspaceId });
        return next;
      });
    },
    deleteMember: async (workspaceId, id, now) => {
      const { database, write } = connected();
      return write((announce) => {
        if (database.run('DELETE FROM members WHERE workspace_id = ? AND id = ?', workspaceId, id) === 0)
          return false;
        database.run(
          'UPDATE api_keys SET revoked_at = ? WHERE workspace_id = ? AND member_id = ? AND revoked_at IS NULL',
          now,
          workspaceId,
          id,
        );
        announce({ topic: 'workspace', workspaceId });
        return true;
      });
    },
  };
}

export function findWorkspace(database: Database, id: string): Workspace | null {
  const row = database.get('SELECT * FROM workspaces WHERE id = ?', id);
  return row ? readWorkspace(row) : null;
}

export function findMember(database: Database, workspaceId: string, id: string): Member | null {
  const row = database.get('SELECT * FROM members WHERE id = ? AND workspace_id = ?', id, workspaceId);
  return row ? readMember(row) : null;
}

function columnsOf(workspace: Workspace): Columns {
  return {
    id: workspace.id,
    name: workspace.name,
    plan: JSON.stringify(workspace.plan),
    trial_messages_used: workspace.trialMessagesUsed,
    suspended_at: workspace.suspendedAt,
    is_postponed: Number(isPostponed(workspace)),
    created_at: workspace.createdAt,
  };
}

function readWorkspace(row: Row): Workspace {
  return {
    id: text(row, 'id'),
    name: text(row, 'name'),
    plan: json(row, 'plan'),
    trialMessagesUsed: integer(row, 'trial_messages_used'),
    suspendedAt: integerOrNull(row, 'suspended_at'),
    createdAt: integer(row, 'created_at'),
  };
}

function memberColumns(member: Member): Columns {
  return {
    id: member.id,
    workspace_id: member.workspaceId,
    email: member.email,
    email_verified: Number(member.emailVerified),
    administers_webhooks: Number(member.administersWebhooks),
    created_at: member.createdAt,
  };
}

function readMember(row: Row): Member {
  return {
    id: text(row, 'id'),
    workspaceId: text(row, 'workspace_id'),
    email: text(row, 'email'),
    emailVerified: flag(row, 'email_verified'),
    administersWebhooks: flag(row, 'administers_webhooks'),
    createdAt: integer(row, 'created_at'),
  };
}
