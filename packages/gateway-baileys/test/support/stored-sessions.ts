import { join } from 'node:path';
import { createTrunkline } from '@trunkline/core';
import type { Gateway, GatewayConnection, Session } from '@trunkline/core/spi/gateway';
import { nodeRuntime } from '@trunkline/core/node';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { eventually } from '@trunkline/test-support';
import { SECRET_KEY } from './service.ts';

/** The stored sessions of each instance. No server may run at the same time. */
export async function storedSessions(
  directory: string,
  count: number,
): Promise<readonly ReadonlyMap<string, Uint8Array>[]> {
  const sessions: Session[] = [];
  const nothing = async (): Promise<void> => {};
  const connection: GatewayConnection = {
    send: async () => ({ kind: 'unknown', reason: 'nobody is there' }),
    close: nothing,
    logout: nothing,
  };
  const gateway: Gateway = {
    network: 'whatsapp',
    title: 'WhatsApp',
    linking: ['qr'],
    capabilities: ['text'],
    attach() {},
    newMessageId: () => '',
    async open(session) {
      sessions.push(session);
      return connection;
    },
    unlink: nothing,
  };
  const trunkline = createTrunkline({
    ...nodeRuntime(),
    storage: sqliteStorage({ path: join(directory, 'trunkline.db') }),
    gateways: [gateway],
    secretKey: SECRET_KEY,
  });
  await trunkline.start();
  try {
    await eventually(() => {
      if (sessions.length < count) throw new Error(`${sessions.length} of ${count} sessions were opened.`);
    });
    return await Promise.all(sessions.map((session) => session.load()));
  } finally {
    await trunkline.stop();
  }
}
