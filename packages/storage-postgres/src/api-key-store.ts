import type { ApiKey, ApiKeyHolder, ApiKeyStore } from '@trunkline/core/spi/storage';
import type { Connected } from './database.ts';
import { id, idOrNull, integer, integerOrNull, json, text } from './row.ts';
import type { Row } from './row.ts';
import type { Columns } from './statements.ts';
import { encodeText } from './text-encoding.ts';
import { uuidOf, uuidOrNull, uuidToFind } from './uuid.ts';
import { readMember, readWorkspace } from './workspace-store.ts';

export function apiKeyStore(connected: Connected): ApiKeyStore {
  return {
    insert: async (apiKey) => connected().insert('trunkline.api_keys', columnsOf(apiKey)),
    findByHash: async (hash) => {
      const row = await connected().get(FIND_HOLDER, encodeText(hash));
      return row ? readHolder(row) : null;
    },
    list: async (workspaceId) => {
      const sql = 'SELECT * FROM trunkline.api_keys WHERE workspace_id = $1 ORDER BY id DESC';
      return (await connected().all(sql, uuidToFind('ten', workspaceId))).map(readApiKey);
    },
    revoke: async (workspaceId, keyId, now) => {
      const database = connected();
      const row = await database.get(REVOKE, uuidToFind('key', keyId), uuidToFind('ten', workspaceId), now);
      if (!row) return null;
      database.publish([{ topic: 'workspace', workspaceId }]);
      return readApiKey(row);
    },
    touch: async (keyId, now) => {
      await connected().run(TOUCH, uuidToFind('key', keyId), now);
    },
  };
}

const FIND_HOLDER = `
  SELECT api_keys.*,
    workspaces.name AS workspace_name, workspaces.plan, workspaces.trial_messages_used, workspaces.suspended_at,
    workspaces.created_at AS workspace_created_at,
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
    apiKey: readApiKey(row),
    workspace: readWorkspace({
      ...row,
      id: row['workspace_id'],
      name: row['workspace_name'],
      created_at: row['workspace_created_at'],
    }),
    member:
      row['found_member_id'] === null
        ? null
        : readMember({ ...row, id: row['found_member_id'], created_at: row['member_created_at'] }),
  };
}

function columnsOf(apiKey: ApiKey): Columns {
  return {
    id: uuidOf('key', apiKey.id),
    workspace_id: uuidOf('ten', apiKey.workspaceId),
    member_id: uuidOrNull('mem', apiKey.memberId),
    name: encodeText(apiKey.name),
    scopes: JSON.stringify(apiKey.scopes),
    hash: encodeText(apiKey.hash),
    created_at: apiKey.createdAt,
    expires_at: apiKey.expiresAt,
    revoked_at: apiKey.revokedAt,
    last_used_at: apiKey.lastUsedAt,
  };
}

function readApiKey(row: Row): ApiKey {
  return {
    id: id(row, 'id', 'key'),
    workspaceId: id(row, 'workspace_id', 'ten'),
    memberId: idOrNull(row, 'member_id', 'mem'),
    name: text(row, 'name'),
    scopes: json(row, 'scopes'),
    hash: text(row, 'hash'),
    createdAt: integer(row, 'created_at'),
    expiresAt: integerOrNull(row, 'expires_at'),
    revokedAt: integerOrNull(row, 'revoked_at'),
    lastUsedAt: integerOrNull(row, 'last_used_at'),
  };
}
