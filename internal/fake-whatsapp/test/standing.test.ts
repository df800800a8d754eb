import { expect, it } from 'vitest';
import { useFakeWhatsApp } from './support/harness.ts';

const { wa, newAccount, linked } = useFakeWhatsApp();

/** At a whole second, because the network counts in seconds. */
const UNTIL = Math.floor(Date.now() / 1000) * 1000 + 3_600_000;

it('the fake WhatsApp notifies a client that its number may start no chats, and responds the same', async () => {
  const shop = newAccount();
  const client = await linked(shop);
  wa().lockNewChats(shop, UNTIL, { isNotified: true });
  const { reachoutTimeLock } = await client.first(
    'connection.update',
    (update) => update.reachoutTimeLock !== undefined,
  );
  expect(reachoutTimeLock).toMatchObject({ isActive: true, timeEnforcementEnds: new Date(UNTIL) });
  expect(await client.socket.fetchAccountReachoutTimelock()).toEqual(reachoutTimeLock);
  wa().lockNewChats(shop, null);
  expect(await client.socket.fetchAccountReachoutTimelock()).toMatchObject({ isActive: false });
});

it('the fake WhatsApp notifies a client that its number has used up its new chats, and responds the same', async () => {
  const shop = newAccount();
  const client = await linked(shop);
  wa().capNewChats(shop, UNTIL, { isNotified: true });
  const capping = await client.first('message-capping.update');
  expect(capping).toMatchObject({ capping_status: 'CAPPED', cycle_end_timestamp: String(UNTIL / 1000) });
  expect(await client.socket.fetchNewChatMessageCap()).toEqual(capping);
});
