import { EventEmitter } from 'node:events';
import type { WASocket } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { watchAcks } from './acks.ts';

it('a late response from the address that was refused before does not count as one from the other address', async () => {
  const ws = new EventEmitter();
  const acks = watchAcks({ ws } as unknown as WASocket); // it needs nothing else
  const respond = (from: string, error?: string): void => {
    const attrs = { id: 'ONE', from, ...(error !== undefined && { error }) };
    ws.emit('CB:ack,class:message', { tag: 'ack', attrs });
  };
  const first = acks.expect('ONE');
  respond('1@lid', '463');
  expect((await first.arrived).error).toBe('463');

  const second = acks.expect('ONE', '1@lid');
  respond('1@lid', '463');
  respond('5511988887777@s.whatsapp.net');
  expect((await second.arrived).error).toBeNull();
});

it.each([['read'], [undefined]])(
  'a response of type %s belongs to a read receipt, and one of another type does not',
  async (type) => {
    const ws = new EventEmitter();
    const acks = watchAcks({ ws } as unknown as WASocket); // it needs nothing else
    const respond = (attrs: object): void => {
      ws.emit('CB:ack,class:receipt', { tag: 'ack', attrs: { id: 'ONE', ...attrs } });
    };
    const receipt = acks.expectReceipt('ONE', 'read');
    respond({ type: 'inactive', error: '500' });
    respond({ ...(type !== undefined && { type }) });
    expect((await receipt.arrived).error).toBeNull();
  },
);
