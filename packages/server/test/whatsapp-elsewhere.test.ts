import { describe, expect, it } from 'vitest';
import { baileysGateway } from '@trunkline/gateway-baileys';
import { whatsAppElsewhere } from '../src/whatsapp-elsewhere.ts';
import { runServer, startServer } from './support/server-process.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';
import { API_KEY, testClient } from './support/test-client.ts';

const WITHOUT_BAILEYS = new URL('support/programs/without-baileys.ts', import.meta.url).href;

describe('GATEWAY=baileys without @trunkline/gateway-baileys', () => {
  const environment = (roles: string): Readonly<Record<string, string>> => ({
    NODE_OPTIONS: `--import=${WITHOUT_BAILEYS}`,
    DATA_DIR: temporaryDirectory(),
    GATEWAY: 'baileys',
    ROLES: roles,
    API_KEY,
  });

  it('serves the API of a process that holds no connections', async () => {
    const server = await startServer({ env: environment('api,webhooks,maintenance') });
    const client = testClient(server.url);
    const { id } = await client.createInstance();
    expect(await client.instance(id)).toMatchObject({ capabilities: baileysGateway().capabilities });
    expect(await server.stop()).toBe(0);
    expect(server.stderr()).toBe('');
  });

  it('says which package a process needs that holds connections', async () => {
    const { code, complaints } = await runServer({ env: environment('api,gateway') });
    expect(code).toBe(1);
    expect(complaints()).toEqual([
      'GATEWAY=baileys needs the package @trunkline/gateway-baileys: install it next to trunkline, with "npm install @trunkline/gateway-baileys".',
    ]);
  });
});

describe('WhatsApp in another process', () => {
  it('has the capabilities, the proxies and the message ids of the gateway', () => {
    const [elsewhere, gateway] = [whatsAppElsewhere(), baileysGateway()];
    const bytes = Uint8Array.from({ length: 16 }, (_, index) => 0xa0 + index);
    expect(elsewhere.newMessageId(bytes)).toBe(gateway.newMessageId(bytes));
    expect(elsewhere.capabilities).toEqual(gateway.capabilities);
    expect(elsewhere.acceptsProxy).toBe(gateway.acceptsProxy);
  });
});
