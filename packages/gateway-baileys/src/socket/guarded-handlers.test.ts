import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { WASocket } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { guardHandlers } from './guarded-handlers.ts';

const failing = (): unknown => Promise.reject(new Error('unexpected'));

function aGuardedSocket() {
  const skipped: unknown[] = [];
  const errors: unknown[] = [];
  const socket = guardHandlers(
    () => {
      const ws = new EventEmitter();
      ws.on('CB:presence', () => {
        throw new Error('unexpected');
      });
      ws.on('CB:ib,,dirty', () => failing());
      ws.on('message', failing);
      ws.on('error', (error) => errors.push(error));
      return { ws } as unknown as WASocket; // the guarded part
    },
    (tag, error) => skipped.push([tag, error]),
  );
  return { ws: socket.ws, skipped, errors };
}

it('skips a stanza whose handler throws, immediately or later', async () => {
  const { ws, skipped, errors } = aGuardedSocket();
  ws.emit('CB:presence', {});
  ws.emit('CB:ib,,dirty', {});
  await setImmediate();
  expect(skipped).toEqual([
    ['presence', new Error('unexpected')],
    ['ib', new Error('unexpected')],
  ]);
  expect(errors).toEqual([]);
});

it('the WhatsApp gateway ends a connection that cannot be read any more', async () => {
  const { ws, errors } = aGuardedSocket();
  ws.emit('message', new Uint8Array());
  await setImmediate();
  expect(errors).toEqual([new Error('unexpected')]);
});

it('does not affect emitters created elsewhere', () => {
  aGuardedSocket();
  expect(EventEmitter.captureRejections).toBe(false);
});
