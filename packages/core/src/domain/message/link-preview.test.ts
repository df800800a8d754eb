import { expect, it } from 'vitest';
import { firstLink, wantsPreview } from './link-preview.ts';

it.each([
  ['See https://example.com/a?b=c.', 'https://example.com/a?b=c'],
  ['(https://example.com)', 'https://example.com'],
  ['https://en.example.org/wiki/A_(b)', 'https://en.example.org/wiki/A_(b)'],
  ['“https://example.com/é”, he said', 'https://example.com/é'],
  ['HTTP://EXAMPLE.COM and https://second.example', 'HTTP://EXAMPLE.COM'],
  ['*https://example.com*', 'https://example.com'],
  ['<https://example.com>!', 'https://example.com'],
  ['example.com', null],
  ['ftp://example.com', null],
  [`https://example.com/${'a'.repeat(2_048)}`, null],
])('the first link of %s is %s', (text, link) => {
  expect(firstLink(text)).toBe(link);
});

it.each([
  ['off', true, false],
  ['off', null, false],
  ['requested', true, true],
  ['requested', false, false],
  ['requested', null, false],
  ['all', true, true],
  ['all', false, false],
  ['all', null, true],
] as const)('with %s, a text with link_preview %s has a preview: %s', (mode, requested, wanted) => {
  const payload = requested === null ? null : { link_preview: requested };
  expect(wantsPreview({ kind: 'text', payload }, mode)).toBe(wanted);
  expect(wantsPreview({ kind: 'image', payload: null }, mode)).toBe(false);
});
