import { createTrunkline } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { createHttpApp } from '@trunkline/http';
import { postgresStorage } from '@trunkline/storage-postgres';
import { handle } from 'hono/aws-lambda';

const { DATABASE_URL: connectionString = '', SECRET_KEY: secretKey } = process.env;
const { gateway } = createSandbox();
const storage = postgresStorage({ connectionString, maxConnections: 3 });
// Lambda freezes the process between requests. So it only serves the API, and a server on the same database does the rest.
const roles = { gateway: false, webhooks: false, maintenance: false };
const trunkline = createTrunkline({ ...nodeRuntime(), storage, gateways: [gateway], secretKey, roles });
await trunkline.start();

export const handler = handle(createHttpApp(trunkline));
