import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isLongForm, sized } from '@trunkline/test-support/long-form';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createFormParser } from '../src/form-parser.ts';
import { startService } from './service.ts';

/** The short form of the tests takes every third case. */
const ofForm = <One>(all: readonly One[]): readonly One[] =>
  all.filter((_, index) => isLongForm || index % 3 === 0);

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** At this length, quadratic work takes seconds of CPU, and linear work milliseconds. */
const CHARACTERS = sized('GROWING_CHARACTERS', { short: 75_000, long: 300_000 });
/** The number of parts; in the long form of the tests, as many as a form may have. */
const PARTS = sized('GROWING_PARTS', { short: 25, long: 100 });
/** The maximum CPU seconds of a test. Wall-clock time would depend on other load. */
const CPU_SECONDS = sized('GROWING_CPU_SECONDS', { short: 5, long: 20 });

let before = process.threadCpuUsage();
beforeEach(() => {
  before = process.threadCpuUsage();
});
afterEach(() => {
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1_000_000, 'seconds of CPU').toBeLessThan(CPU_SECONDS);
});

function parsed(chunks: Iterable<Uint8Array>): { fields: number; problems: readonly string[] } {
  let fields = 0;
  const problems: string[] = [];
  const parser = createFormParser('multipart/form-data; boundary=XX', {
    field: () => (fields += 1),
    file: () => {
      fields += 1;
      return () => {};
    },
    problem: (complaint) => problems.push(complaint),
  });
  for (const chunk of chunks) parser.write(chunk);
  parser.end();
  return { fields, problems };
}

function* oneByOne(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at++) yield bytes.subarray(at, at + 1);
}

function largestHeaders(beginning: string, filling: string, end: string): Uint8Array {
  // The limit includes the line break before the headers.
  const space = 16_382 - beginning.length - end.length;
  const headers = beginning + filling.repeat(Math.floor(space / filling.length)) + end;
  return Buffer.from(`--XX\r\n${headers}\r\n\r\nx\r\n`.repeat(PARTS) + '--XX--', 'latin1');
}

const DISPOSITION = 'Content-Disposition: form-data; name=a';

describe(`a form of ${PARTS} parts with 16 KB of headers each`, () => {
  const HEADERS: readonly (readonly [string, string, string, string])[] = [
    ['white space in its disposition', `${DISPOSITION};`, ' \t', 'x'],
    ['white space before its disposition', 'Content-Disposition:', ' \t', 'form-data; name=a'],
    ['white space between line breaks', DISPOSITION, '\r\n ', ''],
    ['empty parameters', DISPOSITION, ';', ''],
    ['parameters without a value', DISPOSITION, ';a', ''],
    ['parameters with spaces around', DISPOSITION, '; a = b ', ''],
    ['quotes that never close', DISPOSITION, ';a="', ''],
    ['quotes that are escaped', DISPOSITION, ';a="\\"', ''],
    ['backslashes', `${DISPOSITION};a="`, '\\', ''],
    ['backslashes in quotes', `${DISPOSITION};a="`, '\\\\', '"'],
    ['a name of quotes', `${DISPOSITION};filename*=utf-8''`, "'", ''],
    ['percent signs', `${DISPOSITION};filename="`, '%0d%22', '"'],
    ['many names', DISPOSITION, '\r\ncontent-disposition', ''],
  ];

  test.each(ofForm(HEADERS))('is read in linear time with %s', (_, beginning, filling, end) => {
    const { fields, problems } = parsed([largestHeaders(beginning, filling, end)]);
    expect(fields === PARTS || problems.length > 0).toBe(true);
  });

  const FILLINGS: readonly (readonly [string, string])[] = [
    ['line breaks', '\r\n '],
    ['letters', 'x'],
    ['carriage returns', '\r'],
  ];

  test.each(ofForm(FILLINGS))('is read in linear time byte by byte: %s', (_, filling) => {
    const body = largestHeaders(`${DISPOSITION}\r\nX-Long: `, filling, '');
    expect(parsed(oneByOne(body))).toEqual({ fields: PARTS, problems: [] });
  });

  test('is read in linear time byte by byte with spaces after each boundary', () => {
    const part = `--XX${' '.repeat(16_000)}\r\n${DISPOSITION}\r\n\r\nx\r\n`;
    const body = Buffer.from(`${part.repeat(PARTS)}--XX--`, 'latin1');
    expect(parsed(oneByOne(body))).toEqual({ fields: PARTS, problems: [] });
  });
});

test('a form whose content repeats an almost complete boundary is read in linear time', () => {
  const boundary = 'X'.repeat(200);
  let size = 0;
  const parser = createFormParser(`multipart/form-data; boundary=${boundary}`, {
    field: () => {},
    file: () => (chunk) => (size += chunk?.length ?? 0),
    problem: () => {},
  });
  const almost = `\r\n--${boundary.slice(1)}`.repeat(CHARACTERS / 100);
  parser.write(Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="file"\r\n\r\n`));
  for (const byte of oneByOne(Buffer.from(almost))) parser.write(byte);
  parser.write(Buffer.from(`\r\n--${boundary}--`));
  expect(size).toBe(almost.length);
});

describe(`a request with ${CHARACTERS} characters`, () => {
  const shapes = [
    ' ',
    '\t',
    'a',
    ';',
    ',',
    '"',
    '\\',
    "'",
    '=',
    '-',
    '.',
    '/',
    '0',
    '%',
    '+',
    '(0)',
    '; a="',
    ' ,',
    'a ',
  ]
    .map((piece) => piece.repeat(Math.ceil(CHARACTERS / piece.length)))
    .flatMap((long) => [long, `${long}!`]);
  const beginnings: readonly [header: string, beginning: string][] = [
    ['Authorization', 'Bearer '],
    ['Authorization', ''],
    ['Accept', 'image/svg+xml;q='],
    ['Accept', ''],
    ['Content-Type', 'multipart/form-data'],
    ['Content-Type', 'multipart/form-data; boundary='],
    ['Content-Type', 'multipart/form-data; boundary="'],
    ['Content-Type', 'application/json'],
    ['Content-Length', ''],
    ['Idempotency-Key', ''],
    ['If-Range', '"'],
    ['Range', 'bytes='],
    ['Range', 'bytes=0-'],
    ['X-Request-Id', ''],
    ['X-Workspace-Id', 'ten_'],
  ];

  test.each(ofForm(beginnings))(
    'gets its response immediately: in the header %s after "%s"',
    async (header, beginning) => {
      const { newWorkspace } = await startService({ rateLimit: false });
      const { call } = await newWorkspace();
      for (const shape of shapes) {
        const headers = { [header]: `x${beginning}`.slice(1) + shape };
        for (const target of ['/api-key', '/instances/ins_1/qr', '/messages/msg_1/media'])
          expect((await call('GET', target, { headers })).status).toBeLessThan(500);
        expect((await call('POST', '/messages', { headers, body: '{}' })).status).toBeLessThan(500);
      }
    },
  );

  test.each(
    ofForm(['to', 'instance', 'type', 'text', 'url', 'description', 'events', 'name', 'phone_number']),
  )('gets its response immediately: in the field %s', async (field) => {
    const { newWorkspace, connected } = await startService({ rateLimit: false });
    const { call } = await newWorkspace();
    const id = await connected(call);
    const valid = {
      instance: id,
      to: '15550100',
      type: 'text',
      text: 'hi',
      url: 'https://a.example',
      events: [],
    };
    for (const shape of shapes) {
      const json = { ...valid, [field]: shape };
      for (const target of ['/messages', '/webhooks', '/instances'])
        expect((await call('POST', target, { json })).status).toBeLessThan(500);
    }
  });

  test.each(ofForm(['cursor', 'limit', 'status', 'instance', 'type']))(
    'gets its response immediately: in the query parameter %s',
    async (name) => {
      const { newWorkspace } = await startService({ rateLimit: false });
      const { call } = await newWorkspace();
      for (const shape of shapes) {
        const target = `/messages?${new URLSearchParams({ [name]: shape }).toString()}`;
        expect((await call('GET', target)).status).toBe(422);
      }
    },
  );
});

test('the linter refuses patterns that take quadratic time', () => {
  const patterns = [
    String.raw`/^content-disposition:[ \t]*(.*?)[ \t]*$/gim`,
    String.raw`/\s*\n\s*/g`,
    String.raw`/\/+$/`,
    String.raw`/^(a+)+$/`,
    String.raw`new RegExp('(x|xx)*$')`,
  ];
  const directory = mkdtempSync(join(tmpdir(), 'patterns-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const [index, pattern] of patterns.entries())
    writeFileSync(join(directory, `pattern-${index}.ts`), `export const pattern: RegExp = ${pattern};\n`);
  const config = join(ROOT, '.oxlintrc.json');
  const { status, stdout } = spawnSync(
    join(ROOT, 'node_modules/.bin/oxlint'),
    ['--config', config, '--format', 'unix', directory],
    { cwd: ROOT, encoding: 'utf8' },
  );
  const found = patterns.map((_, index) =>
    expect.stringMatching(new RegExp(`pattern-${index}\\.ts:.*regexp\\(no-super-linear-`)),
  );
  expect(status).toBe(1);
  expect(stdout.split('\n')).toEqual(expect.arrayContaining(found));
});
