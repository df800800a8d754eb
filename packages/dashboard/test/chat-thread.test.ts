import type { MessageResource } from '@trunkline/core';
import { describe, expect, it } from 'vitest';
import { cutThread, reaches, withNewest, withOlder, withSent } from '../app/src/pages/chats/thread.ts';
import type { Thread } from '../app/src/pages/chats/thread.ts';

/** The messages from `from` down to `to`, newest first. */
const read = (from: number, to: number): MessageResource[] =>
  Array.from({ length: from - to + 1 }, (_, index) => messageOf(from - index));

function messageOf(number: number): MessageResource {
  return { id: `msg_${String(number).padStart(3, '0')}` } as MessageResource; // the thread reads nothing else
}

const numbers = ({ messages }: Thread): number[] => messages.map(({ id }) => Number(id.slice(4)));

const KNOWN: Thread = { messages: read(20, 11), olderCursor: 'older than 11', cut: null };

describe('the thread of a chat', () => {
  it('begins with the newest messages', () => {
    const fresh = { messages: read(5, 1), nextCursor: 'older' };
    expect(withNewest(fresh, undefined)).toEqual({
      messages: fresh.messages,
      olderCursor: 'older',
      cut: { oldest: 'msg_001', olderCursor: 'older' },
    });
  });

  it('keeps messages further up than a new read of its end', () => {
    const next = withNewest({ messages: read(22, 16), nextCursor: 'x' }, KNOWN);
    expect(numbers(next)).toEqual(numbers({ ...KNOWN, messages: read(22, 11) }));
    expect(next.olderCursor).toBe('older than 11');
  });

  it('does not grow upwards on its own', () => {
    const next = withNewest({ messages: read(22, 3), nextCursor: null }, KNOWN);
    expect(numbers(next).at(-1)).toBe(11);
    expect(next.olderCursor).toBe('older than 11');
  });

  it('starts over if there would be a gap', () => {
    const fresh = { messages: read(99, 90), nextCursor: 'older than 90' };
    expect(reaches(fresh, KNOWN)).toBe(false);
    const next = withNewest(fresh, KNOWN);
    expect(numbers(next)).toHaveLength(10);
    expect(next.olderCursor).toBe('older than 90');
  });

  it('loses deleted messages', () => {
    const known = { messages: read(20, 1), olderCursor: null, cut: null };
    const next = withNewest({ messages: read(20, 15), nextCursor: null }, known);
    expect(numbers(next).at(-1)).toBe(15);
    expect(next.olderCursor).toBeNull();
  });

  it('grows by older messages without duplicates', () => {
    const next = withOlder(KNOWN, { messages: read(12, 5), nextCursor: null });
    expect(numbers(next)).toEqual(numbers({ ...KNOWN, messages: read(20, 5) }));
    expect(next.olderCursor).toBeNull();
  });

  it('is cut at the end of the last read, and grows upwards from there again', () => {
    const grown = withNewest({ messages: read(25, 16), nextCursor: 'older than 16' }, KNOWN);
    const cut = cutThread(grown);
    expect(numbers(cut)).toEqual(numbers({ ...cut, messages: read(25, 16) }));
    expect(cut.olderCursor).toBe('older than 16');
    expect(cutThread(cut)).toBe(cut);
    expect(cutThread(KNOWN)).toBe(KNOWN);
    expect(numbers(withOlder(cut, { messages: read(15, 6), nextCursor: null })).at(-1)).toBe(6);
  });

  it('has a sent message at its end, once', () => {
    const sent = withSent(KNOWN, messageOf(21));
    expect(numbers(sent)[0]).toBe(21);
    expect(withSent(sent, messageOf(21))).toBe(sent);
  });
});
