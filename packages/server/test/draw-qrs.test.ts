import { renderUnicodeCompact } from 'uqr';
import { expect, it } from 'vitest';
import type { Gateway, GatewayListener } from '@trunkline/core/spi/gateway';
import { createSandbox } from '@trunkline/core/sandbox';
import { drawQrs } from '../src/networks/draw-qrs.ts';

function networkShowing(code: string, pairingCode?: string): Gateway {
  return {
    ...createSandbox().gateway,
    async open(_session, listener) {
      await listener.qr(code, 60_000, pairingCode);
      return { send: async () => ({ kind: 'accepted' }), close: async () => {}, logout: async () => {} };
    },
  };
}

const session = { instanceId: 'ins_1', load: async () => new Map(), save: async () => {} };

it.for([
  ['a code to type', 'ABCD1234', 'or type ABCD1234 there:'],
  ['none', undefined, '(Linked devices, Link a device):'],
] as const)(
  'the server draws a QR with %s on the terminal, and passes it on',
  async ([, pairingCode, words]) => {
    const printed: string[] = [];
    const reported: unknown[] = [];
    const qr: GatewayListener['qr'] = async (...report) => void reported.push(report);
    const listener = { qr } as GatewayListener; // nothing else is reported
    await drawQrs(networkShowing('2@abc', pairingCode), (text) => printed.push(text)).open(session, listener);
    expect(printed).toHaveLength(1);
    expect(printed[0]).toContain('To link ins_1,');
    expect(printed[0]).toContain(words);
    expect(printed[0]).toContain(renderUnicodeCompact('2@abc'));
    expect(reported).toEqual([['2@abc', 60_000, pairingCode]]);
  },
);
