import { createTrunkline, SCOPES } from '@trunkline/core';
import type { Trunkline, TrunklineOptions } from '@trunkline/core';
import type { DnsResolver } from '@trunkline/core/spi/runtime';
import { createSandbox } from '@trunkline/core/sandbox';
import { createHttpApp } from '@trunkline/http';
import { sqliteStorage } from '@trunkline/storage-sqlite';

/** The API as a function from Request to Response, for every framework and runtime here. */
export interface Api {
  readonly fetch: (request: Request) => Response | Promise<Response>;
}

/** The parts that your app can mount. */
export interface Mountable {
  readonly api: Api;
  /** The dashboard at `/messaging`: see `dashboardFor`. */
  readonly dashboard: Api;
}

interface Service {
  readonly api: Api;
  /** For the dashboard, and for calls by your app in the same process. */
  readonly trunkline: Trunkline;
  stop(): Promise<void>;
}

type Runtime = Pick<TrunklineOptions, 'clock' | 'random' | 'crypto' | 'dns' | 'webhookSender'>;
type ServiceOptions = Partial<Pick<TrunklineOptions, 'roles' | 'storage'>> & { readonly apiKey: string };

/** A service to mount, which runs in memory on the sandbox network. Yours has its own database and secret key. */
export async function startService(
  runtime: Runtime,
  { apiKey, roles, storage = sqliteStorage({ path: ':memory:' }) }: ServiceOptions,
): Promise<Service> {
  const trunkline = createTrunkline({
    ...runtime,
    storage,
    gateways: [createSandbox({ scansQrs: true }).gateway], // in these examples, no person scans
    secretKey: 'What is in memory needs no better key.',
    urlPolicy: 'local',
    roles,
  });
  await trunkline.start();
  const { workspaces, apiKeys } = trunkline.admin;
  const { id: workspaceId } = await workspaces.create({ name: 'Acme' });
  await apiKeys.create({ workspaceId, name: 'Example', scopes: SCOPES, token: apiKey });
  return { api: createHttpApp(trunkline), trunkline, stop: () => trunkline.stop() };
}

/** Resolves no names, because the hosts in these examples do not exist. Omit this if yours do. */
export const everywherePublic: DnsResolver = { resolve: async () => ['93.184.215.14'] };
