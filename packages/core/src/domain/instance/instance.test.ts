import { expect, it } from 'vitest';
import { exampleInstance } from '../../../test/support/examples.ts';
import { defaultInstanceName } from './instance.ts';

it('an instance without a name is called after the end of its id', () => {
  expect(defaultInstanceName(exampleInstance().id)).toBe('Instance 5xh8');
});
