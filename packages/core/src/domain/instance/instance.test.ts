import { expect, it } from 'vitest';
import { exampleInstance } from '../../../test/support/examples.ts';
import { defaultInstanceName, writtenInstance } from './instance.ts';

it('an instance without a name is called after the end of its id', () => {
  expect(defaultInstanceName(exampleInstance().id)).toBe('Instance 5xh8');
});

it.each([
  [null, null, null],
  [null, 5, 5],
  [7, 5, 7],
  [5, 7, 7],
])('an instance seen at %j, written over one seen at %j, was seen at %j', (decided, stored, written) => {
  const instance = { ...exampleInstance(), lastSeenAt: decided, version: 3 };
  const expected = { ...instance, lastSeenAt: written, version: 4 };
  expect(writtenInstance(instance, { lastSeenAt: stored })).toEqual(expected);
});
