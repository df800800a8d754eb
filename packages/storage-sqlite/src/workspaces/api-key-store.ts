import type { ApiKeyHolder, ApiKeyStore } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/connection.ts';
import type { Database } from '../database/database.ts';
import { entities } from '../rows/row.ts';
import { findMember, findWorkspace } from './workspace-store.ts';

export function apiKeyStore(connected: Connected): ApiKeyStore {
  return {
    insert: async (apiKey) => {
      const { database, write } = connected();
      await write(() => database.insert('api_keys', entities.apiKey.columns(apiKey)));
    },
    findByHash: async (hash) => {
      const { database } = connected();
      return database.snapshot(() => findHolder(database, hash));
    },
    list: async (workspaceId) => {
      const { database } = connected();
      return database
        .all('SELECT * FROM api_keys WHERE workspace_id = ? ORDER BY id DESC', workspaceId)
        .map(entities.apiKey.read);
    },
    revoke: async (workspaceId, id, now) => {
      const { database, write } = connected();
      return write((announce) => {
        database.run(
          'UPDATE api_keys SET revoked_at = ? WHERE id = ? AND workspace_id = ? AND revoked_at IS NULL',
          now,
          id,
          workspaceId,
        );
        const row = database.get('SELECT * FROM api_keys WHERE id = ? AND workspace_id = ?', id, workspaceId);
        if (!row) return null;
        announce({ topic: 'workspace', workspaceId });
        return entities.apiKey.read(row);
      });
    },
    touch: async (id, now) => {
      const { database, write } = connected();
      await write(() =>
        database.run(
          'UPDATE api_keys SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?',
          now,
          id,
        ),
      );
    },
  };
}

function findHolder(database: Database, hash: string): ApiKeyHolder | null {
  const row = database.get('SELECT * FROM api_keys WHERE hash = ?', hash);
  if (!row) return null;
  const apiKey = entities.apiKey.read(row);
  const workspace = findWorkspace(database, apiKey.workspaceId);
  if (!workspace) return null;
  const member = apiKey.memberId === null ? null : findMember(database, apiKey.workspaceId, apiKey.memberId);
  return { apiKey, workspace, member };
}
