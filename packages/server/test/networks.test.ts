import { describe, expect, it } from 'vitest';
import { baileysGateway } from '@trunkline/gateway-baileys';
import { baileysElsewhere } from '@trunkline/gateway-baileys/elsewhere';
import { runServer, startServer } from './support/server-process.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';
import { API_KEY, testClient } from './support/test-client.ts';

const WITHOUT_BAILEYS = new URL('support/programs/without-baileys.ts', import.meta.url).href;
const WITHOUT_PACKAGE = new URL('support/programs/without-gateway-baileys.ts', import.meta.url).href;

const environment = (roles: string, preloaded: string): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--import=${preloaded}`,
  DATA_DIR: temporaryDirectory(),
  GATEWAYS: 'whatsapp',
  ROLES: roles,
  API_KEY,
});

describe('whatsapp in GATEWAYS', () => {
  it('loads no Baileys in a process that holds no connections', async () => {
    const server = await startServer({ env: environment('api,webhooks,maintenance', WITHOUT_BAILEYS) });
    const client = testClient(server.url);
    const { id } = await client.createInstance();
    expect(await client.instance(id)).toMatchObject({
      network: 'whatsapp',
      capabilities: baileysGateway().capabilities,
    });
    expect(await server.stop()).toBe(0);
    expect(server.stderr()).toBe('');
  });

  it('says which package it needs', async () => {
    const { code, complaints } = await runServer({ env: environment('api', WITHOUT_PACKAGE) });
    expect(code).toBe(1);
    expect(complaints()).toEqual([
      'whatsapp in GATEWAYS needs the package @trunkline/gateway-baileys: install it next to trunkline, with "npm install @trunkline/gateway-baileys".',
    ]);
  });
});

describe('WhatsApp in another process', () => {
  it('has the facts and the message ids of the gateway', () => {
    const [elsewhere, gateway] = [baileysElsewhere(), baileysGateway()];
    const bytes = Uint8Array.from({ length: 16 }, (_, index) => 0xa0 + index);
    expect(elsewhere.newMessageId(bytes)).toBe(gateway.newMessageId(bytes));
    for (const fact of ['network', 'title', 'linking', 'capabilities', 'acceptsProxy'] as const)
      expect(elsewhere[fact]).toEqual(gateway[fact]);
  });
});
