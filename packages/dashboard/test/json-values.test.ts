import { expect, it } from 'vitest';
import { cut, openAtFirst, visible } from '../app/src/components/json-values.ts';

it('writes as escapes what changes the order of a line, or is not seen', () => {
  expect(visible('a\u202Eb\u2066c\u200Bd\u0007')).toBe(String.raw`a\u202eb\u2066c\u200bd\u0007`);
  expect(visible('👩‍👧 שלום ñ')).toBe('👩‍👧 שלום ñ');
});

it('cuts a long text, and no other', () => {
  expect(cut('abc', 3)).toBe('abc');
  expect(cut('abcd', 3)).toBe('abc…');
});

it('opens a small value at first, and of a large one only as much as fits', () => {
  const message = { id: 'msg_1', media: { size: 5 } };
  const event = { id: 'evt_1', data: { message } };
  expect(openAtFirst(event)).toEqual(new Set<unknown>([event, event.data, message, message.media]));

  const pages = Array.from({ length: 1_000 }, () => Array.from({ length: 60 }, () => ({ a: 1 })));
  expect(openAtFirst(pages).size).toBe(1);

  let deep: unknown = [];
  for (let depth = 0; depth < 100_000; depth++) deep = [deep];
  expect(openAtFirst(deep).size).toBe(4);
  expect(openAtFirst('text').size).toBe(0);
});
