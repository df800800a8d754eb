import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sharedPostgres } from '@trunkline/test-postgres';
import { binaryArray } from './binary-array.ts';
import type { ArrayElement, ElementType } from './binary-array.ts';

let client: Client;

beforeAll(async () => {
  client = new Client({ connectionString: await sharedPostgres() });
  await client.connect();
  await client.query('SET array_nulls = off');
});
afterAll(() => client.end());

it.each<[type: ElementType, elements: readonly ArrayElement[], asText: string]>([
  ['text', [], '{}'],
  ['text', [null], '{NULL}'],
  [
    'text',
    ['NULL', null, '', 'a b', '"', '\\', 'Grüße 👋', '{,}'],
    String.raw`{"NULL",NULL,"","a b","\"","\\","Grüße 👋","{,}"}`,
  ],
  ['uuid', ['01234567-89ab-cdef-0123-456789abcdef', null], '{01234567-89ab-cdef-0123-456789abcdef,NULL}'],
  [
    'bigint',
    [0, -1, null, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
    '{0,-1,NULL,9007199254740991,-9007199254740991}',
  ],
  ['integer', [0, -2_147_483_648, null, 2_147_483_647], '{0,-2147483648,NULL,2147483647}'],
  ['boolean', [true, false, null], '{t,f,NULL}'],
  ['bytea', [new Uint8Array(), new Uint8Array([0, 255]), null], String.raw`{"\\x","\\x00ff",NULL}`],
  ['tid', ['(0,1)', '(4294967295,65535)', null], '{"(0,1)","(4294967295,65535)",NULL}'],
])('the server reads an array of %s %j', async (type, elements, asText) => {
  const { rows } = await client.query<{ text: string }>(`SELECT $1::${type}[]::text AS text`, [
    binaryArray(type, elements),
  ]);
  expect(rows).toEqual([{ text: asText }]);
});

it.each<[type: ElementType, element: ArrayElement]>([
  ['uuid', '01234567-89ab-cdef-0123-456789abcdeg'],
  ['uuid', '0123'],
  ['bigint', 1.5],
  ['bigint', '1'],
  ['integer', 2 ** 31],
  ['tid', '0,1'],
  ['bytea', 'text'],
])('a %s cannot be %j', (type, element) => {
  expect(() => binaryArray(type, [element])).toThrow(Error);
});
