import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const example = new URL('../', import.meta.url);
const page = readFileSync(new URL('../../docs/writing-a-gateway.md', example), 'utf8');
const blocks = Array.from(
  page.matchAll(/^`(\S+\.ts)`:\n\n```typescript\n(.*?)^```$/gms),
  ([, file, code]) => [file, code],
);

it('the page about gateways shows three files of the example', () => {
  expect(blocks.map(([file]) => file)).toEqual([
    'src/carrier-gateway.ts',
    'src/carrier.ts',
    'test/contract.test.ts',
  ]);
});

it.each(blocks)('the page about gateways shows %s as it is', (file = '', code = '') => {
  expect(code).toBe(readFileSync(new URL(file, example), 'utf8'));
});
