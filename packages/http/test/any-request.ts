import * as fc from 'fast-check';
import { EVENT_TYPES, MESSAGE_TYPES } from '@trunkline/core/spi/http';
import { ROUTES } from '../src/routes/all-routes.ts';
import type { Route } from '../src/routes/route.ts';
import type { Harness } from './one-of-everything.ts';

/** A request that a client may send, valid or not. Placeholders such as `{instance}` stand for ids that exist. */
export interface AnyRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
}

const anyText = fc.string({ unit: 'binary', maxLength: 40 });
const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS', 'QUERY'];
const ID_KINDS = ['instance', 'group', 'message', 'webhook', 'delivery', 'event'] as const;

function mostly<One, Other>(one: fc.Arbitrary<One>, other: fc.Arbitrary<Other>): fc.Arbitrary<One | Other> {
  return fc.oneof({ arbitrary: one, weight: 5 }, { arbitrary: other, weight: 1 });
}

const anyId = fc.oneof(
  fc.constantFrom(...ID_KINDS.map((kind) => `{${kind}}`)),
  fc.constantFrom(
    'ins_01k9z000000000000000000000',
    'msg_',
    'wh_%00',
    '..',
    '%2e%2e',
    'a%2Fb',
    '%E0%A4%A',
    '__proto__',
  ),
  anyText.map((text) => encodeURIComponent(text.toWellFormed()) || 'x'),
);

/**
 * How often a route is drawn: rarely if its requests remove objects or connections, because otherwise nothing would be
 * left; often if hardly any other has its status, as files have 206, and typing has 204.
 */
function weightOf({ method, path }: Route): number {
  if (method === 'DELETE' || /(disconnect|logout|leave)$/.test(path)) return 1;
  if (path.endsWith('/media') || path.endsWith('/typing')) return 60;
  return method === 'POST' && path === '/messages' ? 60 : 15;
}

const anyRoute = fc.oneof(
  ...ROUTES.map((route) => ({ arbitrary: fc.constant(route), weight: weightOf(route) })),
);

const ofRoute = anyRoute.chain(({ method, path }) =>
  fc.record({
    method: mostly(fc.constant<string>(method), fc.constantFrom(...METHODS)),
    path: mostly(
      fc.constant(path),
      anyId.map((id) => path.replace(/\{\w+\}/, id)),
    ),
  }),
);
const ofNoRoute = fc.record({
  method: fc.constantFrom(...METHODS),
  path: fc.webPath().map((path) => `/${path}`),
});

const QUERY_NAMES = [...new Set(ROUTES.flatMap(({ queryNames }) => queryNames))];
const anyValue = fc.oneof(anyText, fc.integer({ min: -5, max: 200 }).map(String), fc.constant(''));
const someQuery = fc
  .array(
    fc.tuple(
      mostly(fc.constantFrom(...QUERY_NAMES), anyText),
      fc.oneof(
        anyValue,
        fc.constantFrom(
          '{instance}',
          'inbound',
          'text',
          'queued,sent',
          'failed',
          'success',
          '25',
          'eyJ2IjoxfQ',
        ),
        fc.constantFrom(...EVENT_TYPES),
        fc.base64String(),
      ),
    ),
    { maxLength: 4 },
  )
  .map((pairs) =>
    pairs
      .map(([name, value]) => [name, value].map((part) => encodeURIComponent(part.toWellFormed())).join('='))
      .join('&')
      .replaceAll('%7Binstance%7D', '{instance}'),
  );

/** Often empty, because a request with an invalid query is refused early. */
const anyQuery = fc.oneof(fc.constant(''), someQuery);

/** Characters that can reach a server in a header: bytes, except control characters. */
const headerText = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((code) => code !== 0x7f)
    .map((code) => String.fromCharCode(code)),
  maxLength: 40,
});

const anyHeaders = fc
  .record(
    {
      'Idempotency-Key': fc.oneof(headerText, fc.constantFrom('k1', 'k2', 'k'.repeat(256))),
      'X-Request-Id': headerText,
      Accept: fc.oneof(headerText, fc.constantFrom('image/svg+xml', '*/*', ';q=', 'a/b;q=x,,')),
      Range: mostly(fc.constantFrom('bytes=0-1', 'bytes=-1', 'bytes=5-', 'bytes=9-1'), headerText),
    },
    { requiredKeys: [] },
  )
  .chain((headers) => mostly(fc.constant<Record<string, string>>({}), fc.constant(headers)));

const anyAuthorization = fc.oneof(
  { arbitrary: fc.constant(null), weight: 40 },
  {
    arbitrary: fc.oneof(
      headerText,
      headerText.map((text) => `Bearer ${text}`),
    ),
    weight: 1,
  },
);

/**
 * A description at its maximum length, a name one character too long, a text at its maximum, and one a character too
 * long.
 */
const LONG_TEXTS = ['a'.repeat(255), 'é'.repeat(101), '😀'.repeat(4096), 'a'.repeat(4097)];

const anyWorkspaceId = fc.oneof(
  { arbitrary: fc.constant(null), weight: 40 },
  { arbitrary: headerText, weight: 1 },
);

const field = <Right>(right: fc.Arbitrary<Right>): fc.Arbitrary<unknown> =>
  mostly(right, fc.oneof(fc.jsonValue(), anyText, fc.constantFrom(...LONG_TEXTS)));

const FIELDS: Readonly<Record<string, fc.Arbitrary<unknown>>> = Object.fromEntries(
  ROUTES.flatMap(({ body }) => Object.entries(body?.example ?? {})).map(([name, value]) => [
    name,
    field(fc.constant<unknown>(value)),
  ]),
);

const anyObject = fc.record(
  {
    ...FIELDS,
    name: field(fc.string({ maxLength: 120 })),
    instance: field(fc.constant('{instance}')),
    to: field(fc.constantFrom('15550100', '+1 (555) 010-0', '15550003', 'grp_01k9z000000000000000000000')),
    type: field(fc.constantFrom(...MESSAGE_TYPES)),
    text: field(fc.string({ unit: 'grapheme', minLength: 1 })),
    caption: field(anyText),
    filename: field(anyText),
    url: field(fc.constantFrom('https://hooks.example.com/a', 'http://127.0.0.1/', 'https://[::1]/')),
    events: field(fc.uniqueArray(fc.constantFrom(...EVENT_TYPES))),
    description: field(fc.option(anyText)),
    status: field(fc.constantFrom('enabled', 'disabled')),
  },
  { requiredKeys: [] },
);

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'multipart/form-data; boundary=XX';
type Content = { readonly type: string | null; readonly body: AnyRequest['body'] };

const GOOD = {
  name: 'Shop',
  instance: '{instance}',
  to: '15550100',
  type: 'text',
  text: 'hi',
  url: 'https://hooks.example.com/a',
  events: ['message.sent'],
  state: 'typing',
};

const jsonContent: fc.Arbitrary<Content> = fc
  .oneof(
    { arbitrary: anyObject.map((object) => ({ ...GOOD, ...object })), weight: 4 },
    { arbitrary: anyObject, weight: 4 },
    { arbitrary: fc.jsonValue(), weight: 1 },
  )
  .map((value) => ({ type: JSON_TYPE, body: JSON.stringify(value) }));

type Part = readonly [name: string, value: string, isFile: boolean];
const GOOD_PARTS: readonly Part[] = [
  ['instance', '{instance}', false],
  ['to', '15550100', false],
];
const anyPart: fc.Arbitrary<Part> = fc.oneof(
  fc.constantFrom<Part>(['type', 'document', false], ['type', 'image', false], ['type', 'audio', false]),
  fc.constantFrom<Part>(
    ['file', '#!AMR\nsong', true],
    ['file', 'not a picture', true],
    ['caption', 'Me', false],
  ),
  fc.tuple(
    fc.constantFrom('instance', 'to', 'type', 'file', 'caption', 'filename', 'text', '__proto__'),
    fc.oneof(fc.constantFrom('{instance}', '15550100', 'image', 'document'), anyText),
    fc.boolean(),
  ),
);

const formContent: fc.Arbitrary<Content> = fc
  .tuple(
    mostly(fc.constant(GOOD_PARTS), fc.constant([])),
    fc.uniqueArray(anyPart, { maxLength: 5, selector: ([name]) => name }),
    fc.oneof({ arbitrary: fc.constant('--XX--\r\n'), weight: 9 }, { arbitrary: anyText, weight: 1 }),
  )
  .map(([good, more, end]) => ({
    type: FORM_TYPE,
    body: [...good, ...more].map(partText).join('') + end,
  }));

function partText([name, value, isFile]: Part): string {
  const filename = isFile ? '; filename="f.bin"' : '';
  return `--XX\r\nContent-Disposition: form-data; name="${name}"${filename}\r\n\r\n${value}\r\n`;
}

const rawContent: fc.Arbitrary<Content> = fc.record({
  type: fc.constantFrom(
    JSON_TYPE,
    FORM_TYPE,
    'text/plain',
    'multipart/form-data',
    'application/json; charset=x',
    null,
  ),
  body: fc.oneof(anyText, fc.uint8Array({ maxLength: 60 }), fc.constantFrom('{', '[]', '{"a":', '\u0000')),
});

const anyContent = fc.oneof(
  { arbitrary: jsonContent, weight: 6 },
  { arbitrary: formContent, weight: 2 },
  { arbitrary: rawContent, weight: 2 },
  { arbitrary: fc.constant<Content>({ type: null, body: null }), weight: 2 },
);

export const anyRequest: fc.Arbitrary<AnyRequest> = fc
  .record({
    line: fc.oneof({ arbitrary: ofRoute, weight: 15 }, { arbitrary: ofNoRoute, weight: 1 }),
    query: anyQuery,
    headers: anyHeaders,
    authorization: anyAuthorization,
    workspaceId: anyWorkspaceId,
    content: anyContent,
  })
  .map(({ line, query, headers, authorization, workspaceId, content }) => ({
    ...line,
    query,
    headers: {
      ...headers,
      ...(authorization === null ? {} : { Authorization: authorization }),
      ...(workspaceId === null ? {} : { 'X-Workspace-Id': workspaceId }),
      ...(content.type === null ? {} : { 'Content-Type': content.type }),
    },
    body: ['GET', 'HEAD'].includes(line.method) ? null : content.body,
  }));

/** Replaces placeholders in a path or a body with ids that exist. */
export function aimed<Part extends string | Uint8Array | null>(part: Part, { ids }: Harness): Part | string {
  if (typeof part !== 'string') return part;
  return part.replaceAll(
    /\{(instance|group|message|webhook|delivery|event)\}/g,
    (_, kind: keyof Harness['ids']) => ids[kind],
  );
}
