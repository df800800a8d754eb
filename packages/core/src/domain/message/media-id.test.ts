import { expect, it } from 'vitest';
import { checkMediaId } from './media-rules.ts';

it.each(['abc', 'msg_01jgfjjv00fsnvdjzy0jcm5xh8', 'x'.repeat(64)])('%s is a media id', (id) => {
  expect(checkMediaId(id)).toBe(id);
});

it.each(['', 'ab', '..', '../x', '/etc/passwd', 'a\\b', 'a\0b', 'a.b', 'abc\n', 'äbc', 'x'.repeat(65)])(
  '%j is not a media id',
  (id) => {
    expect(() => checkMediaId(id)).toThrow(TypeError);
  },
);
