import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFormParser } from '../src/form-parser.ts';

const utf8 = new TextEncoder();
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

function parsed(chunks: readonly Uint8Array[], boundary = 'XX'): readonly string[] {
  const seen: string[] = [];
  const parser = createFormParser(`multipart/form-data; boundary=${boundary}`, {
    field: (name, value) => seen.push(`${name}=${text(value)}`),
    file(name, filename) {
      let content = '';
      return (chunk) => {
        if (chunk) content += Buffer.from(chunk).toString('latin1');
        else seen.push(`${name}(${filename})=${content}`);
      };
    },
    problem: (complaint, name = 'body') => seen.push(`! ${name}: ${complaint}`),
  });
  for (const chunk of chunks) parser.write(chunk);
  parser.end();
  return seen;
}

function cut(body: Uint8Array, at: readonly number[]): readonly Uint8Array[] {
  const places = [0, ...at.toSorted((a, b) => a - b), body.length];
  return places.slice(1).map((end, index) => body.subarray(places[index], end));
}

const part = (headers: string, content: string): string => `--XX\r\n${headers}\r\n\r\n${content}\r\n`;
const field = (name: string, content: string): string =>
  part(`Content-Disposition: form-data; name="${name}"`, content);
const file = (filename: string, content: string): string =>
  part(`Content-Disposition: form-data; name="file"; filename="${filename}"`, content);

const FORM = utf8.encode(`${field('to', '123')}${file('文档 ü.png', 'ab\r\ncd\r\n--X\r\n-')}--XX--\r\n`);
const IN_FORM = ['to=123', 'file(文档 ü.png)=ab\r\ncd\r\n--X\r\n-'];

describe('a form', () => {
  test('reads the same wherever it is cut in two, and byte for byte', () => {
    for (let place = 0; place <= FORM.length; place++) {
      expect(parsed(cut(FORM, [place])), `cut at ${place}`).toEqual(IN_FORM);
    }
    expect(parsed(Array.from(FORM, (byte) => Uint8Array.of(byte)))).toEqual(IN_FORM);
  });

  test('takes a field byte by byte without an object for each', () => {
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('gc');
    if (typeof collect !== 'function') throw new Error('There is no garbage collector to call.');
    const heapUsed = (): number => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const length = 65_000;
    let seen = '';
    const parser = createFormParser('multipart/form-data; boundary=XX', {
      field: (_, value) => (seen = text(value)),
      file: () => () => {},
      problem: (complaint) => (seen = complaint),
    });
    parser.write(utf8.encode('--XX\r\nContent-Disposition: form-data; name="text"\r\n\r\n'));
    const before = heapUsed();
    for (let at = 0; at < length; at += 1) parser.write(Uint8Array.of(0x61));
    // One object for each byte would take at least 6 MB.
    expect(heapUsed() - before).toBeLessThan(2_000_000);
    parser.write(utf8.encode('\r\n--XX--\r\n'));
    expect(seen).toBe('a'.repeat(length));
  });

  test('reads the same however it is cut, whatever is in its file', () => {
    const nasty = fc.string({ unit: fc.constantFrom('\r', '\n', '-', 'X', '\r\n--X', 'a'), maxLength: 40 });
    const cuts = fc.array(fc.nat(400), { maxLength: 12 });
    fc.assert(
      fc.property(nasty, nasty, cuts, (one, other, at) => {
        const contents = [one, other].map((content) => content.replaceAll('\r\n--XX', ''));
        const [first = '', second = ''] = contents;
        fc.pre(!`\r\n${first}\r\n`.includes('\r\n--XX') && !`\r\n${second}\r\n`.includes('\r\n--XX'));
        const body = utf8.encode(`${field('a', first)}${file('f', second)}${field('b', '')}--XX--`);
        const chunks = cut(
          body,
          at.map((place) => Math.min(place, body.length)),
        );
        expect(parsed(chunks)).toEqual([`a=${first}`, `file(f)=${second}`, 'b=']);
      }),
      { numRuns: 2_000 },
    );
  });

  test('may come in one piece, however large', () => {
    const large = '\r'.repeat(200_000);
    expect(parsed([utf8.encode(`${file('a', large)}${field('to', '1')}--XX--`)])).toEqual([
      `file(a)=${large}`,
      'to=1',
    ]);
  });

  test('ignores text before and after its parts', () => {
    expect(parsed([utf8.encode(`before\r\n${field('a', '1')}--XX--\r\nafter: it\r\n\r\n--XX`)])).toEqual([
      'a=1',
    ]);
  });

  test.each([
    ['in UTF-8', 'filename="Übung – 文.pdf"', 'Übung – 文.pdf'],
    ['with a quote as browsers write it', 'filename="a%22b.pdf"', 'a"b.pdf'],
    ['with a quote as curl writes it', String.raw`filename="a\"b\\c.pdf"`, String.raw`a"b\c.pdf`],
    ['with a backslash of its own', String.raw`filename="C:\dir\b.pdf"`, String.raw`C:\dir\b.pdf`],
    ['with a line break', 'filename="a%0D%0Ab"', 'a  b'],
    ['without quotes', 'filename=a.pdf', 'a.pdf'],
    ['that is empty', 'filename=""', ''],
    ['with a semicolon', 'filename="a;name=b"; x=y', 'a;name=b'],
    ['as RFC 8187 writes it', 'filename="_"; filename*=UTF-8\'\'%e2%82%ac.txt', '€.txt'],
    ['that it cannot decode', 'filename="_"; filename*=UTF-8\'\'%ff.txt', undefined],
    ['in a folded header', '\r\n filename="a.pdf";\r\n\tx=y', 'a.pdf'],
    ['that is folded itself', 'filename="a\r\n b.pdf"', 'a b.pdf'],
    ['as RFC 2047 writes it in base64', 'filename="=?utf-8?B?b2zDoS5wZGY=?="', 'olá.pdf'],
    ['as RFC 2047 writes it in Q', 'filename="=?ISO-8859-1?q?ol=E1_2=2Epdf?="', 'olá 2.pdf'],
    ['in several encoded words', 'filename="=?utf-8?Q?ol=C3=A1?=\r\n =?utf-8*pt?B?LnBkZg==?="', 'olá.pdf'],
    ['with an encoded word within it', 'filename="a =?utf-8?Q?=C3=A1?= b"', 'a á b'],
    [
      'that is no encoded word',
      'filename="=?utf-8?B?*?= =?x?Q?a?= =?.pdf"',
      '=?utf-8?B?*?= =?x?Q?a?= =?.pdf',
    ],
  ])('takes a file name %s', (_, parameter, filename) => {
    const body = `${part(`Content-Disposition: form-data; name="file"; ${parameter}`, 'abc')}--XX--`;
    const seen = parsed([utf8.encode(body)]);
    if (filename !== undefined) expect(seen).toEqual([`file(${filename})=abc`]);
    else expect(seen.join()).toMatch(/^! |file\(_\)/);
  });

  test.each([
    ['has a file name', '; filename="a.txt"', 'a.txt'],
    ['has an empty file name', '; filename=""', ''],
    ['has the type of a file and no name', '\r\nContent-Type: image/png', ''],
    ['has the type of text and no name', '\r\ncontent-type: text/plain; charset=utf-8', undefined],
    ['has no type and no name', '', undefined],
  ])('never makes a field of a part named file, and reports text in it: it %s', (_, more, filename) => {
    const body = `${part(`Content-Disposition: form-data; name="file"${more}`, 'abc')}--XX--`;
    expect(parsed([utf8.encode(body)])).toEqual([`file(${filename})=abc`]);
  });

  test.each([
    ['nothing', ''],
    ['no boundary', 'hello'],
    ['no end', field('a', '1')],
    ['an end that is cut off', `${field('a', '1')}--XX-`],
    ['headers that are cut off', '--XX\r\nContent-Disp'],
    ['a part without a name', `${part('Content-Disposition: form-data', 'x')}--XX--`],
    ['a part without a disposition', `${part('Content-Type: text/plain', 'x')}--XX--`],
    [
      'two dispositions',
      `${part('Content-Disposition: form-data; name="a"\r\nContent-Disposition: form-data; name="b"', 'x')}--XX--`,
    ],
    ['a field that is too large', `${field('a', 'x'.repeat(65_537))}--XX--`],
    ['too many parts', `${field('a', '1').repeat(101)}--XX--`],
    ['headers that are too large', `${part(`X-Long: ${'x'.repeat(20_000)}`, 'x')}--XX--`],
  ])('is refused with %s', (_, body) => {
    expect(parsed([utf8.encode(body)]).join()).toMatch(/! /);
  });

  test.each(['base64', 'Quoted-Printable', 'x-uuencode', ''])(
    'is refused with the name of a part that is encoded as %j',
    (encoding) => {
      const header = `Content-Transfer-Encoding: ${encoding}`;
      const caption = part(`${header}\r\nContent-Disposition: form-data; name="caption"`, 'T2zDoQ==');
      expect(parsed([utf8.encode(`${field('to', '1')}${caption}--XX--`)])).toEqual([
        'to=1',
        expect.stringMatching(/^! caption: .*Content-Transfer-Encoding/),
      ]);
      const encoded = part(`Content-Disposition: form-data; name="file"; filename="a"\r\n${header}`, 'YQ==');
      expect(parsed([utf8.encode(`${encoded}--XX--`)])).toEqual([expect.stringMatching(/^! file: /)]);
    },
  );

  test.each(['7bit', '8BIT', 'binary'])('takes a part whose encoding %s changes nothing', (encoding) => {
    const header = `Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: ${encoding}`;
    expect(parsed([utf8.encode(`${part(header, 'á')}--XX--`)])).toEqual(['a=á']);
  });

  test('says that the boundary is missing', () => {
    expect(parsed([FORM], '')).toEqual([expect.stringContaining('Must have a boundary')]);
  });

  test('never throws, whatever the input', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 8 }), (chunks) => {
        parsed(chunks);
        parsed([utf8.encode('--XX\r\nContent-Disposition: form-data; name="file"; '), ...chunks]);
      }),
    );
  });
});
