import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readEvent } from '@trunkline/receiver';

const ROOT = new URL('../../../', import.meta.url);
const page = readFileSync(new URL('docs/receive/README.md', ROOT), 'utf8');
const openapi = JSON.parse(readFileSync(new URL('packages/http/openapi.json', ROOT), 'utf8')) as {
  readonly webhooks: Readonly<Record<string, { readonly post: Described }>>;
  readonly components: {
    readonly parameters: Readonly<Record<string, { readonly name: string }>>;
    readonly schemas: { readonly Delivery: { readonly properties: { readonly error_code: ErrorCode } } };
  };
};

interface ErrorCode {
  readonly anyOf: readonly { readonly enum?: readonly string[] }[];
}

interface Described {
  readonly parameters: readonly { readonly $ref: string }[];
  readonly requestBody: {
    readonly content: { readonly 'application/json': { readonly example: unknown } };
  };
}

const received = openapi.webhooks['message.received']?.post;

it('The request in docs/receive has the headers and the body of the OpenAPI document', () => {
  const names = Array.from(block('http').matchAll(/^([\w-]+): /gm), ([, name = '']) => name.toLowerCase());
  const described = received?.parameters.map(({ $ref }) => {
    const parameter = openapi.components.parameters[$ref.split('/').at(-1) ?? ''];
    return parameter?.name.toLowerCase();
  });
  // Only endpoints that ask for `traceparent` get it.
  const expected = new Set(['content-type', ...(described ?? [])]);
  expected.delete('traceparent');
  expect(new Set(names)).toEqual(expected);

  const body = block('json');
  expect(JSON.parse(body)).toEqual(received?.requestBody.content['application/json'].example);
  expect(readEvent(new TextEncoder().encode(body))).toMatchObject({ ok: true });
});

it('docs/receive lists the data of each type of event', () => {
  const table = page.slice(page.indexOf('| `type` |'), page.indexOf('What to expect'));
  const types = Array.from(table.matchAll(/`(\w+\.\w+)`/g), ([, type = '']) => type);
  const byName = /^\| `((?:message|call|instance)\.\w+)` \|/gm;
  const own = readFileSync(new URL('docs/events.md', ROOT), 'utf8').matchAll(byName);
  const all = new Set([...types, ...Array.from(own, ([, type = '']) => type)]);
  expect(all).toEqual(new Set(Object.keys(openapi.webhooks)));
});

it('docs/debugging.md explains each error_code of a delivery', () => {
  const text = readFileSync(new URL('docs/debugging.md', ROOT), 'utf8');
  const table = text.slice(text.indexOf('## Why an attempt'), text.indexOf('## The database'));
  const codes = Array.from(table.matchAll(/`([A-Z]+_?[A-Z]+)`(?=.* \|)/g), ([, code = '']) => code);
  const [{ enum: known = [] } = {}] = openapi.components.schemas.Delivery.properties.error_code.anyOf;
  expect(new Set(codes)).toEqual(new Set(known));
});

function block(language: string): string {
  const [, text] = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'm').exec(page) ?? [];
  if (text === undefined) throw new Error(`docs/receive/README.md has no block of ${language}.`);
  return text;
}
