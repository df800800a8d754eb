import { join } from 'node:path';
import { createTrunkline } from '@trunkline/core';
import type { Storage, Trunkline } from '@trunkline/core';
import type { Clock, Logger } from '@trunkline/core/spi/gateway';
import { nodeRuntime } from '@trunkline/core/node';
import { baileysGateway } from '@trunkline/gateway-baileys';
import type { BaileysGatewayOptions } from '@trunkline/gateway-baileys';
import { createHttpApp } from '@trunkline/http';
import { createClient } from '@trunkline/http/client';
import type { TrunklineClient } from '@trunkline/http/client';
import { postgresStorage } from '@trunkline/storage-postgres';
import { sqliteStorage } from '@trunkline/storage-sqlite';

export const SECRET_KEY = 'a secret key of at least 32 characters';
const BASE_URL = 'http://127.0.0.1/api/v1';

/** The whole service in this process: a database, the REST API with its client, and Baileys. */
export interface Service {
  readonly client: TrunklineClient;
  stop(): Promise<void>;
}

export interface StartedService extends Service {
  readonly apiKey: string;
  readonly fetch: (request: Request) => Response | Promise<Response>;
}

export interface ServiceOptions {
  readonly directory: string;
  readonly gateway: BaileysGatewayOptions;
  readonly logger?: Logger | undefined;
  /** Taken from an earlier service on this directory; by default, a new key. */
  readonly apiKey?: string | undefined;
  readonly clock?: Clock | undefined;
  /** The URL of a PostgreSQL database; by default, SQLite in the directory. */
  readonly databaseUrl?: string | undefined;
  readonly around?: ((storage: Storage<never>) => Storage<never>) | undefined;
}

export async function startService(options: ServiceOptions): Promise<StartedService> {
  const { directory, databaseUrl, gateway, logger, clock, around = (storage) => storage } = options;
  const storage: Storage<never> = databaseUrl
    ? postgresStorage({ connectionString: databaseUrl })
    : sqliteStorage({ path: join(directory, 'trunkline.db') });
  const trunkline = createTrunkline({
    ...nodeRuntime({ mediaDirectory: join(directory, 'media') }),
    ...(clock && { clock }),
    storage: around(storage),
    gateways: [baileysGateway({ pace: 'off', ...gateway })],
    secretKey: SECRET_KEY,
    urlPolicy: 'local',
    instanceProxies: true,
    logger,
  });
  await trunkline.start();
  const apiKey = options.apiKey ?? (await newApiKey(trunkline));
  const app = createHttpApp(trunkline, { rateLimit: false });
  const fetch = (url: string, init: RequestInit): Response | Promise<Response> => app.request(url, init);
  return {
    apiKey,
    fetch: (request) => app.fetch(request),
    client: createClient({ baseUrl: BASE_URL, apiKey, fetch, maxRetries: 0 }),
    stop: () => trunkline.stop(),
  };
}

async function newApiKey(trunkline: Trunkline): Promise<string> {
  const { id: workspaceId } = await trunkline.admin.workspaces.create({ name: 'Acme' });
  const scopes = [
    'instances:read',
    'instances:write',
    'messages:read',
    'messages:send',
    'webhooks:write',
  ] as const;
  const { token } = await trunkline.admin.apiKeys.create({ workspaceId, name: 'tests', scopes });
  return token;
}
