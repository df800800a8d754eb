import type { EndpointHealth, FailureRecord, WebhookEndpoint } from '@trunkline/core/spi/storage';
import type { RowOf } from './column-arrays.ts';
import type { Columns, Statements } from './statements.ts';
import {
  flag,
  id,
  integer,
  integerOrNull,
  json,
  jsonOrNull,
  text,
  textOrNull,
  toJsonOrNull,
  word,
  wordOrNull,
} from './row.ts';
import type { Row } from './row.ts';
import { encodeText, encodeTextOrNull } from './text-encoding.ts';
import { uuidOf } from './uuid.ts';

export function endpointColumns(endpoint: WebhookEndpoint): Columns {
  return {
    id: uuidOf('wh', endpoint.id),
    workspace_id: uuidOf('ten', endpoint.workspaceId),
    created_at: endpoint.createdAt,
    ...settingsColumns(endpoint),
    ...healthColumns(endpoint.health),
  };
}

/** What a write of an endpoint changes. */
export function settingsColumns(endpoint: WebhookEndpoint): Columns {
  return {
    url: encodeText(endpoint.url),
    description: encodeTextOrNull(endpoint.description),
    events: endpoint.events,
    status: endpoint.status,
    sealed_secret: encodeText(endpoint.sealedSecret),
    secret_hint: encodeText(endpoint.secretHint),
    disabled_at: endpoint.disabledAt,
    disabled_reason: endpoint.disabledReason,
    updated_at: endpoint.updatedAt,
    version: endpoint.version,
  };
}

/** As the health of endpoints is written: the ids are those of `healthColumns`. */
export const HEALTH = {
  id: 'uuid',
  last_delivery: 'text',
  last_success_at: 'bigint',
  failing_since: 'bigint',
  exhausted: 'boolean',
  warned_at: 'bigint',
} as const;

export function healthColumns(health: EndpointHealth): Omit<RowOf<typeof HEALTH>, 'id'> {
  return {
    last_delivery: toJsonOrNull(health.lastDelivery),
    last_success_at: health.lastSuccessAt,
    ...failureColumns(health),
  };
}

/** What a write of an endpoint may change of its health. */
export function failureColumns({
  failingSince,
  exhausted,
  warnedAt,
}: FailureRecord): Pick<RowOf<typeof HEALTH>, 'failing_since' | 'exhausted' | 'warned_at'> {
  return { failing_since: failingSince, exhausted: exhausted, warned_at: warnedAt };
}

/** What `readEndpoint` reads. */
export const ENDPOINT = 'endpoints.*, to_json(endpoints.events) AS event_types';

export function readEndpoint(row: Row): WebhookEndpoint {
  return {
    id: id(row, 'id', 'wh'),
    workspaceId: id(row, 'workspace_id', 'ten'),
    url: text(row, 'url'),
    description: textOrNull(row, 'description'),
    events: json(row, 'event_types'),
    status: word(row, 'status'),
    sealedSecret: text(row, 'sealed_secret'),
    secretHint: text(row, 'secret_hint'),
    disabledAt: integerOrNull(row, 'disabled_at'),
    disabledReason: wordOrNull(row, 'disabled_reason'),
    health: readHealth(row),
    createdAt: integer(row, 'created_at'),
    updatedAt: integer(row, 'updated_at'),
    version: integer(row, 'version'),
  };
}

export function readHealth(row: Row): EndpointHealth {
  return {
    lastDelivery: jsonOrNull(row, 'last_delivery'),
    lastSuccessAt: integerOrNull(row, 'last_success_at'),
    failingSince: integerOrNull(row, 'failing_since'),
    exhausted: flag(row, 'exhausted'),
    warnedAt: integerOrNull(row, 'warned_at'),
  };
}

/** Whether deliveries can be queued there; then nobody closes it before this transaction ends. */
export async function keepEnabled(
  { get }: Statements,
  workspace: string | null,
  endpoint: string | null,
): Promise<boolean> {
  const sql = `
    SELECT 1 FROM trunkline.endpoints WHERE id = $1 AND workspace_id = $2 AND status = 'enabled' FOR KEY SHARE`;
  return (await get(sql, endpoint, workspace)) !== undefined;
}
