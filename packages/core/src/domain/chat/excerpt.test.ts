import { expect, it } from 'vitest';
import { excerptOf } from './excerpt.ts';

it.for([
  ['a text', { text: 'Hello', caption: null }, 'Hello'],
  ['a caption', { text: null, caption: 'A cat' }, 'A cat'],
  ['lines', { text: ' one\n\n two\tthree ', caption: null }, 'one two three'],
  ['nothing', { text: null, caption: null }, null],
  ['white space', { text: ' \n ', caption: null }, null],
  ['a hundred emoji', { text: '👋'.repeat(100), caption: null }, '👋'.repeat(100)],
  ['more of them', { text: '👋'.repeat(101), caption: null }, `${'👋'.repeat(99)}…`],
  ['half an emoji', { text: '\ud83d', caption: null }, '\ufffd'],
] as const)('the excerpt of %s is short and in one line', ([, message, excerpt]) => {
  expect(excerptOf(message)).toBe(excerpt);
});
