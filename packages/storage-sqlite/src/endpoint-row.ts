import { healthAfter } from '@trunkline/core/spi/storage';
import type {
  Attempt,
  Delivery,
  EndpointHealth,
  FailureRecord,
  WebhookEndpoint,
} from '@trunkline/core/spi/storage';
import type { Columns, Database } from './database.ts';
import {
  flag,
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

export function endpointColumns(endpoint: WebhookEndpoint): Columns {
  return {
    id: endpoint.id,
    workspace_id: endpoint.workspaceId,
    created_at: endpoint.createdAt,
    ...settingsColumns(endpoint),
    ...healthColumns(endpoint.health),
  };
}

/** What a write of an endpoint changes. */
export function settingsColumns(endpoint: WebhookEndpoint): Columns {
  return {
    url: endpoint.url,
    description: endpoint.description,
    events: JSON.stringify(endpoint.events),
    status: endpoint.status,
    sealed_secret: endpoint.sealedSecret,
    secret_hint: endpoint.secretHint,
    disabled_at: endpoint.disabledAt,
    disabled_reason: endpoint.disabledReason,
    updated_at: endpoint.updatedAt,
    version: endpoint.version,
  };
}

function healthColumns(health: EndpointHealth): Columns {
  return {
    last_delivery: toJsonOrNull(health.lastDelivery),
    last_success_at: health.lastSuccessAt,
    ...failureColumns(health),
  };
}

/** What a write of an endpoint may change of its health. */
export function failureColumns({ failingSince, exhausted, warnedAt }: FailureRecord): Columns {
  return { failing_since: failingSince, exhausted: Number(exhausted), warned_at: warnedAt };
}

export function readEndpoint(row: Row): WebhookEndpoint {
  return {
    id: text(row, 'id'),
    workspaceId: text(row, 'workspace_id'),
    url: text(row, 'url'),
    description: textOrNull(row, 'description'),
    events: json(row, 'events'),
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

function readHealth(row: Row): EndpointHealth {
  return {
    lastDelivery: jsonOrNull(row, 'last_delivery'),
    lastSuccessAt: integerOrNull(row, 'last_success_at'),
    failingSince: integerOrNull(row, 'failing_since'),
    exhausted: flag(row, 'exhausted'),
    warnedAt: integerOrNull(row, 'warned_at'),
  };
}

export function isEnabled(database: Database, workspaceId: string, webhookId: string): boolean {
  const sql = "SELECT 1 FROM endpoints WHERE id = ? AND workspace_id = ? AND status = 'enabled'";
  return database.get(sql, webhookId, workspaceId) !== undefined;
}

/** Keeps the health of an attempt's endpoint, where that is still there. */
export function keepHealth(
  database: Database,
  outcome: { readonly delivery: Delivery; readonly attempt: Attempt; readonly written: Delivery },
): void {
  const { webhookId } = outcome.delivery;
  const row = database.get(
    'SELECT last_delivery, last_success_at, failing_since, exhausted, warned_at FROM endpoints WHERE id = ?',
    webhookId,
  );
  if (!row) return;
  database.update('endpoints', webhookId, healthColumns(healthAfter(readHealth(row), outcome)));
}
