import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readPageFacts } from './page-facts.ts';

const NONE = { title: null, description: null, image: null };

it.each([
  ['<title> A \n page </title>', { title: 'A page' }],
  ['<TITLE>A</TITLE><title>B</title>', { title: 'A' }],
  ['<title>A<b>', { title: 'A<b>' }],
  [
    `<meta property="og:title" content="A &amp; B"><meta name='description' content='An "apple"'><meta property=og:image content=/a.jpg>`,
    { title: 'A & B', description: 'An "apple"', image: '/a.jpg' },
  ],
  [
    '<meta content="First" property="og:title"/><meta property="og:title" content="Second">',
    { title: 'First' },
  ],
  ['<title>T</title><meta property="og:title" content="">', { title: 'T' }],
  ['<meta name="twitter:title" content="X"><meta property="OG:TITLE" content="O">', { title: 'O' }],
  [
    '<meta property="og:image" content="http://a/1"><meta property="og:image:secure_url" content="https://a/2">',
    { image: 'https://a/2' },
  ],
  ['<!-- <title>no</title> --><title>yes</title>', { title: 'yes' }],
  ['<script>"<title>no</title>"</script><style></style><title>yes</title>', { title: 'yes' }],
  ['<svg><title>no</title></svg><title>yes</title>', { title: 'yes' }],
  [
    '<title>&eacute;&#233;&#xE9;&euro;&mdash;&rare;&#0;&#x110000;</title>',
    { title: 'ééé€—&rare;\uFFFD\uFFFD' },
  ],
  ['<meta property="og:title" content="never closed', { title: null }],
  ['<', NONE],
  ['', NONE],
])('the facts of %s', (html, facts) => {
  expect(readPageFacts(html)).toEqual({ ...NONE, ...facts });
});

it('a long title is cut, without splitting a character', () => {
  const facts = readPageFacts(`<title>${'😀'.repeat(400)}</title>`);
  expect(facts.title).toBe(`${'😀'.repeat(299)}…`);
});

it('any page is read, without an error', () => {
  const parts = [
    '<',
    '>',
    '"',
    "'",
    '=',
    ' ',
    '/',
    '<meta ',
    'content=',
    'property="og:title"',
    '<title>',
    '</title',
    '<!--',
    '-->',
    '<script',
    '&#x',
    '&amp',
    'é',
    '\uD800',
    '\0',
  ];
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(...parts), fc.string({ maxLength: 5 }))), (given) => {
      const { title, description } = readPageFacts(given.join(''));
      for (const text of [title, description]) {
        expect([...(text ?? '')].length).toBeLessThanOrEqual(500);
        expect(text ?? '').not.toMatch(/[\0\n]/);
        expect((text ?? '').isWellFormed()).toBe(true);
      }
    }),
    { numRuns: 300 },
  );
});

it.each([
  '<',
  '<a',
  '<meta ',
  '<meta a="',
  '<meta a=\'"',
  '<!--',
  '<script>',
  '<title>',
  '<svg></svg',
  ' ',
  '<meta       ',
  '&',
  '&#1',
  'a=',
  '<a b',
])('a megabyte of %s takes little time', (part) => {
  const begun = process.threadCpuUsage();
  readPageFacts(`<meta property="og:title" content="x">${part.repeat((1024 * 1024) / part.length)}`);
  const { user, system } = process.threadCpuUsage(begun);
  expect((user + system) / 1_000).toBeLessThan(1_000);
});
