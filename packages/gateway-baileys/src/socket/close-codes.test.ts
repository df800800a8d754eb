import { describe, expect, it } from 'vitest';
import { PairingCodeRefused } from '../linking/request-pairing-code.ts';
import { QrsExpired } from '../linking/show-qrs.ts';
import { banEndsAt, describeClose } from './close-codes.ts';

const boom = (statusCode: number, message = 'closed', data: object = {}): Error =>
  Object.assign(new Error(message), { output: { statusCode }, data });

describe('the action when a connection ended', () => {
  it.each([
    [401, 'unlinked'],
    [402, 'failed'],
    [403, 'failed'],
    [405, 'version_refused'],
    [406, 'failed'],
    [408, 'dropped'],
    [411, 'failed'],
    [428, 'dropped'],
    [440, 'replaced'],
    [500, 'dropped'],
    [503, 'dropped'],
    [515, 'restart'],
  ])('%i: %s', (code, action) => {
    expect(describeClose(boom(code))).toMatchObject({ action, detail: expect.stringMatching(/^[a-z_]+$/) });
  });

  it('distinguishes an expired QR from a lost connection', () => {
    expect(describeClose(new QrsExpired()).action).toBe('qr_timeout');
    expect(describeClose(boom(408, 'Connection was lost')).action).toBe('dropped');
  });

  it('ends a pairing whose code the network refused', () => {
    expect(describeClose(new PairingCodeRefused(400))).toEqual({
      action: 'failed',
      detail: 'pairing_code_refused',
    });
  });

  it.each([[undefined], [new Error('bad certificate')], [1006], [boom(599)]])(
    'tries again after %s',
    (error) => {
      expect(describeClose(error)).toEqual({ action: 'dropped', detail: 'connection_failed' });
    },
  );
});

describe('the end of a temporary ban', () => {
  const NOW = Date.UTC(2026, 10, 22);

  it('is read from a duration or a time', () => {
    expect(banEndsAt(boom(402, 'banned', { reason: '402', expire: '3600' }), NOW)).toBe(NOW + 3_600_000);
    const time = String(NOW / 1000 + 60);
    expect(banEndsAt(boom(402, 'banned', { expire: time }), NOW)).toBe(NOW + 60_000);
  });

  it.each([undefined, '', '0', '-5', 'soon', '1e400', '9007199254740993'])(
    'is not read from %j',
    (expire) => {
      expect(banEndsAt(boom(402, 'banned', { expire }), NOW)).toBeNull();
    },
  );

  it('is unknown for any other refusal', () => {
    expect(banEndsAt(boom(403, 'banned', { expire: '3600' }), NOW)).toBeNull();
    expect(banEndsAt(undefined, NOW)).toBeNull();
  });
});
