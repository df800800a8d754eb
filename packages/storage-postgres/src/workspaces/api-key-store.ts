import type { ApiKeyHolder, ApiKeyStore } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/database.ts';
import { entities } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import { encodeText } from '../rows/text-encoding.ts';
import { uuidToFind } from '../rows/uuid.ts';

export function apiKeyStore(connected: Connected): ApiKeyStore {
  return {
    insert: async (apiKey) => connected().insert('trunkline.api_keys', entities.apiKey.columns(apiKey)),
    findByHash: async (hash) => {
      const row = await connected().get(FIND_HOLDER, encodeText(hash));
      return row ? readHolder(row) : null;
    },
    list: async (workspaceId) => {
      const sql = 'SELECT * FROM trunkline.api_keys WHERE workspace_id = $1 ORDER BY id DESC';
      return (await connected().all(sql, uuidToFind('ten', workspaceId))).map(entities.apiKey.read);
    },
    revoke: async (workspaceId, keyId, now) => {
      const database = connected();
      const row = await database.get(REVOKE, uuidToFind('key', keyId), uuidToFind('ten', workspaceId), now);
      if (!row) return null;
      database.publish([{ topic: 'workspace', workspaceId }]);
      return entities.apiKey.read(row);
    },
    touch: async (keyId, now) => {
      await connected().run(TOUCH, uuidToFind('key', keyId), now);
    },
  };
}

const FIND_HOLDER = `
  SELECT api_keys.*,
    workspaces.name AS workspace_name, workspaces.plan, workspaces.trial_messages_used, workspaces.suspended_at,
    workspaces.retention, workspaces.created_at AS workspace_created_at,
    members.id AS found_member_id, members.email, members.email_verified, members.administers_webhooks,
    members.created_at AS member_created_at
  FROM trunkline.api_keys
  JOIN trunkline.workspaces ON workspaces.id = api_keys.workspace_id
  LEFT JOIN trunkline.members ON members.id = api_keys.member_id AND members.workspace_id = api_keys.workspace_id
  WHERE api_keys.hash = $1`;

const REVOKE = `
  UPDATE trunkline.api_keys SET revoked_at = coalesce(revoked_at, $3)
  WHERE id = $1 AND workspace_id = $2
  RETURNING *`;

const TOUCH = `
  UPDATE trunkline.api_keys SET last_used_at = $2
  WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)`;

function readHolder(row: Row): ApiKeyHolder {
  return {
    apiKey: entities.apiKey.read(row),
    workspace: entities.workspace.read({
      ...row,
      id: row['workspace_id'],
      name: row['workspace_name'],
      created_at: row['workspace_created_at'],
    }),
    member:
      row['found_member_id'] === null
        ? null
        : entities.member.read({ ...row, id: row['found_member_id'], created_at: row['member_created_at'] }),
  };
}
