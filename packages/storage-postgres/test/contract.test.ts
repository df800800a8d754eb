import { expect, it } from 'vitest';
import { calledOperations } from './support/called-operations.ts';
import { describePostgresContract } from './support/postgres-contract.ts';

const operations = calledOperations();

describePostgresContract({
  name: 'postgres',
  watch: (storage) => (isRandomCase() ? storage : operations.watch(storage)),
});

// If this fails for a new operation, register a case that calls it with `itAlways`.
it('the contract, or a selection of it, calls every operation of the PostgreSQL storage, except one that has a test of its own', () => {
  expect(operations.missing()).toEqual(['serverTime']);
});

/** Calls in random steps do not count, because only some runs make them. */
function isRandomCase(): boolean {
  return expect.getState().currentTestName?.includes('random steps') ?? false;
}
