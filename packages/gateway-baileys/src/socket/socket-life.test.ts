import { EventEmitter } from 'node:events';
import { makeEventBuffer } from '@whiskeysockets/baileys';
import type { WASocket } from '@whiskeysockets/baileys';
import { silentLogger } from '@trunkline/core';
import { manualClock } from '@trunkline/core/testing';
import { expect, it } from 'vitest';
import { baileysLogger } from './baileys-logs.ts';
import { socketLife } from './socket-life.ts';

/** Ends as Baileys' sockets do: runs its handlers, reports that it is closed, and discards its buffer. */
function aSocket() {
  const ev = makeEventBuffer(baileysLogger(silentLogger, 'ins_1'));
  const handlers: (() => void)[] = [];
  const received: unknown[] = [];
  const end = async (error?: Error): Promise<void> => {
    for (const handler of handlers) handler();
    ev.emit('connection.update', { connection: 'close', lastDisconnect: { error, date: new Date() } });
    ev.destroy();
  };
  const parts = {
    ev,
    end,
    ws: Object.assign(new EventEmitter(), { close: async () => {} }),
    registerSocketEndHandler: (handler: () => void) => handlers.push(handler),
  };
  const socket = parts as unknown as WASocket; // the parts that `socketLife` uses
  ev.on('messages.upsert', ({ messages }) => received.push(...messages));
  const clock = manualClock();
  return { ...parts, received, clock, life: socketLife(socket, clock) };
}

const MESSAGE = { key: { id: 'A', remoteJid: '15550100@s.whatsapp.net' } };

it('the WhatsApp gateway reports what is buffered when the network ends the connection', async () => {
  const { ev, end, received, life } = aSocket();
  ev.buffer();
  ev.emit('messages.upsert', { messages: [MESSAGE], type: 'append' });
  expect(received).toEqual([]);
  await end(new Error('lost'));
  expect(received).toMatchObject([{ key: { id: 'A' } }]);
  expect(await life.ended).toEqual(new Error('lost'));
});

it('the WhatsApp gateway reports what is buffered when it ends the connection itself', async () => {
  const { ev, received, life } = aSocket();
  ev.buffer();
  ev.emit('messages.upsert', { messages: [MESSAGE], type: 'append' });
  life.end();
  expect(received).toMatchObject([{ key: { id: 'A' } }]);
  expect(await life.ended).toBeUndefined();
});

it('the WhatsApp gateway gives up a connection that makes no progress, and waits for one that does', async () => {
  const stuck = aSocket();
  await stuck.clock.advance(30_000);
  expect(await stuck.life.ended).toEqual(new Error('The connection did not open in time.'));

  const { clock, life } = aSocket();
  life.progressed();
  await clock.advance(3_600_000);
  life.expectProgress();
  await clock.advance(29_999);
  let isOver = false;
  void life.ended.then(() => (isOver = true));
  await clock.settle();
  expect(isOver).toBe(false);
  await clock.advance(1);
  expect(isOver).toBe(true);
});

it('the WhatsApp gateway immediately gives up a connection whose upgrade gets another response', async () => {
  const { ws, life } = aSocket();
  ws.emit('unexpected-response');
  expect(await life.ended).toEqual(new Error('The server did not take the connection.'));
});
