import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TlsSessions } from '../../src/node/webhook-sender/tls.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const session = Buffer.from('session');

it('remembers a session until its certificate was last checked 10 minutes ago', () => {
  const sessions = new TlsSessions();
  sessions.set('https://a.test', { session, verifiedAt: performance.now() });
  vi.advanceTimersByTime(10 * 60 * 1000 - 1);
  expect(sessions.get('https://a.test')?.session).toBe(session);
  vi.advanceTimersByTime(1);
  expect(sessions.get('https://a.test')).toBeUndefined();
});

it('remembers 2,048 sessions, and forgets first the one that was made first', () => {
  const sessions = new TlsSessions();
  const verifiedAt = performance.now();
  for (let index = 0; index < 2048; index += 1)
    sessions.set(`https://${index}.test`, { session, verifiedAt });
  sessions.set('https://0.test', { session, verifiedAt });
  sessions.set('https://2048.test', { session, verifiedAt });
  expect(sessions.get('https://1.test')).toBeUndefined();
  for (const index of [0, 2, 2047, 2048]) expect(sessions.get(`https://${index}.test`)).toBeDefined();
});
