import {
  DELIVERY_STATUSES,
  MESSAGE_DIRECTIONS,
  MESSAGE_STATUSES,
  MESSAGE_TYPES,
} from '@trunkline/core/spi/storage';
import type { MessageFilter } from '@trunkline/core/spi/storage';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { endedDeliveryKinds, FIRST_GENERATION, messageKinds, openDeliveryKinds } from './list-plans.ts';

const ALL = MESSAGE_STATUSES.flatMap((status) => MESSAGE_TYPES.map((type) => ({ status, type })));

const filters: fc.Arbitrary<MessageFilter> = fc.record(
  {
    instanceId: fc.constant('ins_1'),
    direction: fc.constantFrom(...MESSAGE_DIRECTIONS),
    type: fc.constantFrom(...MESSAGE_TYPES),
    statuses: fc.array(fc.constantFrom(...MESSAGE_STATUSES), { minLength: 1, maxLength: 4 }),
  },
  { requiredKeys: [] },
);

it('the kinds of messages of a filter are those that pass it, each once', () => {
  fc.assert(
    fc.property(filters, (filter) => {
      const passing = ALL.filter(
        ({ status, type }) =>
          (filter.type ?? type) === type &&
          (filter.statuses ?? [status]).includes(status) &&
          (filter.direction === undefined || (filter.direction === 'inbound') === (status === 'received')),
      );
      const kinds = messageKinds(filter) ?? ALL;
      expect(kinds).toHaveLength(passing.length);
      expect(kinds).toEqual(expect.arrayContaining(passing));
    }),
  );
});

it('a filter that passes all messages of a workspace has one walk, and no kinds', () => {
  expect(messageKinds({})).toBeNull();
});

it('the kinds of deliveries of some statuses are those that read so, whatever a cancellation has ended', () => {
  const statuses = fc.uniqueArray(fc.constantFrom(...DELIVERY_STATUSES));
  const lanes = fc.record({ current: fc.option(fc.constant(4)), closed: fc.subarray([1, 2, 3]) });
  fc.assert(
    fc.property(statuses, lanes, (wanted, lane) => {
      const { current, closed } = lane;
      const stored = [...closed, ...(current === null ? [] : [current])].flatMap((generation) =>
        (['pending', 'retrying'] as const).map((status) => ({ status, generation })),
      );
      const reading = stored.filter(({ status, generation }) =>
        wanted.includes(generation === current ? status : 'failed'),
      );
      const kinds = openDeliveryKinds(wanted, lane);
      expect(kinds).toHaveLength(reading.length);
      expect(kinds).toEqual(expect.arrayContaining(reading));
    }),
  );
});

it('deliveries that are stored as ended read as they are stored', () => {
  const kinds = endedDeliveryKinds(DELIVERY_STATUSES);
  expect(kinds.map(({ status }) => status)).toEqual(['success', 'failed', 'exhausted']);
  expect(endedDeliveryKinds(['pending', 'failed']).map(({ status }) => status)).toEqual(['failed']);
});

it('deliveries that are stored as ended are in no generation of a lane', () => {
  const generations = endedDeliveryKinds(DELIVERY_STATUSES).map(({ generation }) => generation);
  expect(Math.max(...generations)).toBeLessThan(FIRST_GENERATION);
});
