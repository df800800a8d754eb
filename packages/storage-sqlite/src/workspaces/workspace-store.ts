import { changedWorkspace, isPostponed } from '@trunkline/core/spi/storage';
import type { Member, Workspace, WorkspaceStore } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/connection.ts';
import type { Columns, Database } from '../database/database.ts';
import { pauseLanes, resumeWork } from './postponement.ts';
import { entities } from '../rows/row.ts';

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
        .map(entities.workspace.read);
    },
    update: async (id, changes) => {
      const { database, write } = connected();
      return write((announce) => {
        const stored = findWorkspace(database, id);
        if (!stored) return null;
        const next = changedWorkspace(stored, changes);
        database.update('workspaces', id, columnsOf(next));
        if (isPostponed(next)) pauseLanes(database, id);
        else if (isPostponed(stored)) resumeWork(database, id, announce);
        announce({ topic: 'workspace', workspaceId: id });
        return next;
      });
    },

    insertMember: async (member) => {
      const { database, write } = connected();
      await write(() => database.insert('members', entities.member.columns(member)));
    },
    findMember: async (workspaceId, id) => findMember(connected().database, workspaceId, id),
    listMembers: async (workspaceId) => {
      const { database } = connected();
      return database
        .all('SELECT * FROM members WHERE workspace_id = ? ORDER BY id', workspaceId)
        .map(entities.member.read);
    },
    updateMember: async (workspaceId, id, changes) => {
      const { database, write } = connected();
      return write((announce) => {
        const stored = findMember(database, workspaceId, id);
        if (!stored) return null;
        const next = { ...stored, ...changes };
        database.update('members', id, entities.member.columns(next));
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
  return row ? entities.workspace.read(row) : null;
}

export function findMember(database: Database, workspaceId: string, id: string): Member | null {
  const row = database.get('SELECT * FROM members WHERE id = ? AND workspace_id = ?', id, workspaceId);
  return row ? entities.member.read(row) : null;
}

function columnsOf(workspace: Workspace): Columns {
  return { ...entities.workspace.columns(workspace), is_postponed: Number(isPostponed(workspace)) };
}
