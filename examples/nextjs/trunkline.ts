import { createSandbox } from '@trunkline/core/sandbox';
import { createNextTrunkline } from '@trunkline/nextjs';
import { sqliteStorage } from '@trunkline/storage-sqlite';

export const { handlers, register, trunkline } = createNextTrunkline(() => ({
  storage: sqliteStorage({ path: 'trunkline.db' }),
  gateways: [createSandbox({ scansQrs: true }).gateway],
  secretKey: process.env.SECRET_KEY,
  developmentKey: (token) => console.log('API key:', token),
}));
