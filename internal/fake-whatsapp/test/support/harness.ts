import { afterAll, afterEach, beforeAll } from 'vitest';
import { startFakeWhatsApp } from '../../src/index.ts';
import type { Account, FakeWhatsApp } from '../../src/index.ts';
import { Client } from './client.ts';

/** One server for a test file; every test ends its clients and leaves the server clean. */
export function useFakeWhatsApp() {
  const clients: Client[] = [];
  let server: FakeWhatsApp | undefined;
  let distrust = () => {};
  let numbers = 0;
  const wa = () => {
    if (server === undefined) throw new Error('the server runs inside tests only');
    return server;
  };
  beforeAll(async () => {
    server = await startFakeWhatsApp();
    distrust = server.trust();
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.end();
    wa().assertClean();
  });
  afterAll(async () => {
    distrust();
    await wa().stop();
  });

  const newNumber = () => {
    numbers += 1;
    return `55119${String(numbers).padStart(8, '0')}`;
  };
  const kept = (client: Client) => {
    clients.push(client);
    return client;
  };
  return {
    wa,
    newAccount: (): Account => wa().account(newNumber(), { name: 'Shop' }),
    newPerson: (options?: Parameters<FakeWhatsApp['person']>[1]) => wa().person(newNumber(), options),
    newNumber,
    unpaired: (options?: Parameters<typeof Client.unpaired>[1]) => kept(Client.unpaired(wa(), options)),
    linked: async (account: Account, options?: Parameters<typeof Client.linked>[2]) =>
      kept(await Client.linked(wa(), account, options)),
    /** Connects again; the test checks whether the login succeeds. */
    reconnect: (client: Pick<Client, 'auth'>, options?: Parameters<typeof Client.unpaired>[1]) =>
      kept(new Client(wa(), client.auth, options)),
  };
}
