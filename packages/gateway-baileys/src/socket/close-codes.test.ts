import { describe, expect, it } from 'vitest';
import { describeClose } from './close-codes.ts';

const boom = (statusCode: number, message = 'closed'): Error =>
  Object.assign(new Error(message), { output: { statusCode } });

describe('what to do when a connection ended', () => {
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

  it('distinguishes a QR that nobody scanned from a connection that was lost', () => {
    expect(describeClose(boom(408, 'QR refs attempts ended')).action).toBe('qr_timeout');
    expect(describeClose(boom(408, 'Connection was lost')).action).toBe('dropped');
  });

  it.each([[undefined], [new Error('bad certificate')], [1006], [boom(599)]])(
    'tries again after %s',
    (error) => {
      expect(describeClose(error)).toEqual({ action: 'dropped', detail: 'connection_failed' });
    },
  );
});
