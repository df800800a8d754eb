import { proto } from '@whiskeysockets/baileys';
import { memorySession } from '@trunkline/gateway-contract';
import { manualClock } from '@trunkline/core/testing';
import { expect, it } from 'vitest';
import { readSession } from '../session/session-values.ts';
import { ownKeys, signalKeys } from '../session/signal-keys.ts';
import { HISTORY, pendingHistory } from './pending-history.ts';

const { HistorySyncType, ProtocolMessage } = proto.Message;

function announcing(file: proto.Message.IHistorySyncNotification): proto.IMessage {
  return {
    protocolMessage: {
      type: ProtocolMessage.Type.HISTORY_SYNC_NOTIFICATION,
      historySyncNotification: { syncType: HistorySyncType.RECENT, ...file },
    },
  };
}

async function opened(session = memorySession('ins_1')) {
  const values = await readSession(session, () => {}, { names: [], prefixes: [HISTORY] });
  const keys = signalKeys(values, manualClock());
  let dropped = 0;
  const pending = pendingHistory(values, () => (dropped += 1));
  return {
    session,
    pending,
    keys,
    dropped: () => dropped,
    async store(id: string, message: proto.IMessage) {
      const changes = pending.record(id, message);
      if (!changes) return;
      await keys.set(ownKeys(changes));
      pending.announce(changes);
    },
  };
}

it('parts of a history are passed on once each, and after a restart in their order until they are erased', async () => {
  const first = await opened();
  const heard: string[] = [];
  await first.store('b', announcing({ directPath: '/b' }));
  first.pending.listen(({ id }) => heard.push(id));
  await first.store('a', announcing({ directPath: '/a' }));
  await first.store('c', announcing({ directPath: '/c' }));
  expect(heard).toEqual(['b', 'a', 'c']);
  await first.pending.erase('a');

  const again: unknown[] = [];
  (await opened(first.session)).pending.listen(({ id, file }) => again.push([id, file.directPath]));
  expect(again).toEqual([
    ['b', '/b'],
    ['c', '/c'],
  ]);
});

it('a part that is announced after it was found is passed on once', async () => {
  const { pending, keys } = await opened();
  const changes = pending.record('a', announcing({ directPath: '/a' }));
  if (!changes) throw new Error('The part was not recorded.');
  await keys.set(ownKeys(changes));
  const heard: string[] = [];
  pending.listen(({ id }) => heard.push(id));
  pending.announce(changes);
  expect(heard).toEqual(['a']);
});

it('parts without chats, and messages of other kinds, are not recorded', async () => {
  const { pending } = await opened();
  for (const syncType of [
    HistorySyncType.PUSH_NAME,
    HistorySyncType.INITIAL_STATUS_V3,
    HistorySyncType.ON_DEMAND,
  ])
    expect(pending.record('x', announcing({ syncType }))).toBeNull();
  expect(pending.record('x', { conversation: 'Hello' })).toBeNull();
});

it('at most 50 parts wait to be read, none with more than a megabyte in its message', async () => {
  const { pending, store, dropped, session } = await opened();
  const inline = (length: number) =>
    announcing({ initialHistBootstrapInlinePayload: new Uint8Array(length) });
  expect(pending.record('x', inline(1_048_577))).toBeNull();
  expect(dropped()).toBe(1);
  for (let index = 0; index <= 50; index += 1) await store(`${index}`, announcing({}));
  expect(session.values.size).toBe(50);
  expect(dropped()).toBe(2);
});
