import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TypeID } from 'typeid-js';
import { must } from '@trunkline/test-support';
import { NOW } from '../../test/support/examples.ts';
import { seededRandom } from '../testing/seeded-random.ts';
import {
  createNewId,
  floorId,
  idsOfOrder,
  idToUuid,
  isId,
  nextId,
  orderOfId,
  uuidToId,
  withOrder,
} from './id.ts';
import type { IdPrefix } from './id.ts';

const newIds = (seed = 1) => createNewId(seededRandom(seed).bytes);
const PREFIXES: readonly IdPrefix[] = [
  'key',
  'ten',
  'ins',
  'grp',
  'msg',
  'wh',
  'whd',
  'evt',
  'req',
  'mem',
  'opr',
  'ntc',
];
const time = fc.integer({ min: 1, max: 2 ** 43 });

describe('a new id', () => {
  it.each(PREFIXES)('has its prefix %s, 26 characters, and at most 40 in all', (prefix) => {
    const id = newIds()(prefix, NOW);
    expect(id).toMatch(new RegExp(`^${prefix}_[0-7][0-9a-z]{25}$`));
    expect(id.length).toBeLessThanOrEqual(40);
    expect(isId(prefix, id)).toBe(true);
  });

  it('is a UUIDv7 of its time (RFC 9562)', () => {
    const uuid = TypeID.fromString(newIds()('msg', NOW)).toUUID();
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16)).toBe(NOW);
  });

  it('sorts after every earlier one and repeats none, however the clock moves', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -5_000, max: 5 }), { minLength: 2, maxLength: 200 }),
        fc.integer(),
        (moves, seed) => {
          const newId = newIds(seed);
          let now = NOW;
          const ids = moves.map((move) => newId('msg', (now += move)));
          expect(ids).toEqual([...new Set(ids)].toSorted());
        },
      ),
    );
  });

  it('leaves room for many in one millisecond', () => {
    const newId = newIds();
    const ids = Array.from({ length: 20_000 }, () => newId('evt', NOW));
    expect(ids).toEqual([...new Set(ids)].toSorted());
    expect(ids.every((id) => id < floorId('evt', NOW + 1))).toBe(true);
  });

  it('differs between two processes in the same millisecond', () => {
    expect(newIds(1)('msg', NOW)).not.toBe(newIds(2)('msg', NOW));
  });
});

describe('isId', () => {
  const id = newIds()('msg', NOW);

  it.each([
    ['another kind', id.replace('msg', 'evt')],
    ['another kind with the same end', `x${id}`],
    ['no prefix', id.slice(4)],
    ['upper case', id.toUpperCase()],
    ['too short', id.slice(0, -1)],
    ['too long', `${id}0`],
    ['a letter that base32 has not', `${id.slice(0, -1)}u`],
    ['more than 128 bits', `msg_8${id.slice(5)}`],
    ['white space', ` ${id.slice(1)}`],
    ['a line break', `${id}\n`],
    ['nothing', ''],
  ])('refuses %s', (_, text) => {
    expect(isId('msg', text)).toBe(false);
  });

  it('distinguishes wh from whd', () => {
    expect(isId('wh', newIds()('whd', NOW))).toBe(false);
    expect(isId('whd', newIds()('wh', NOW))).toBe(false);
  });
});

describe('an id with the order of another', () => {
  it('sorts with it, and those of one millisecond sort as they were made, however the clock moves', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -5_000, max: 5 }), { minLength: 2, maxLength: 20 }),
        fc.integer(),
        (moves, seed) => {
          const newId = newIds(seed);
          let now = NOW;
          const beside = moves.map((move) => {
            const order = orderOfId('evt', newId('evt', (now += move)));
            const ids = Array.from({ length: 3 }, () => withOrder('whd', newId('whd', order.ms), order));
            const { first, last } = idsOfOrder('whd', order);
            expect(ids.every((id) => isId('whd', id) && first <= id && id <= last)).toBe(true);
            expect(ids.map((id) => orderOfId('whd', id))).toEqual([order, order, order]);
            return ids;
          });
          const all = beside.flat();
          expect(all).toEqual([...new Set(all)].toSorted());
        },
      ),
    );
  });

  it('is another one each time, also of two processes that begin alike', () => {
    const order = orderOfId('evt', newIds()('evt', NOW));
    const ids = Array.from({ length: 200 }, (_, seed) => withOrder('whd', newIds(seed)('whd', NOW), order));
    expect(new Set(ids).size).toBe(200);
    expect(TypeID.fromString(must(ids[0])).toUUID()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/);
  });
});

describe('floorId', () => {
  it('divides the ids made before a time from those made at it or later', () => {
    fc.assert(
      fc.property(time, fc.integer(), (at, seed) => {
        expect(newIds(seed)('whd', at) >= floorId('whd', at)).toBe(true);
        expect(newIds(seed)('whd', at) < floorId('whd', at + 1)).toBe(true);
      }),
    );
  });

  it('is the least of all for times before 1970', () => {
    expect(floorId('whd', -1)).toBe(`whd_${'0'.repeat(26)}`);
  });
});

describe('the UUID inside of an id', () => {
  const hex = fc
    .uint8Array({ minLength: 16, maxLength: 16 })
    .map((bytes) => Buffer.from(bytes).toString('hex'));

  it('is what the id was made of', () => {
    const id = newIds()('msg', NOW);
    expect(idToUuid('msg', id)).toBe(TypeID.fromString(id).toUUID());
  });

  it('comes back from any 128 bits, and sorts as the ids do', () => {
    fc.assert(
      fc.property(hex, hex, (one, other) => {
        const uuids = [one, other].map((text) => text.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'));
        const ids = uuids.map((uuid) => uuidToId('wh', uuid));
        expect(ids.every((id) => isId('wh', id))).toBe(true);
        expect(ids.map((id) => idToUuid('wh', id))).toEqual(uuids);
        expect(ids.toSorted().map((id) => idToUuid('wh', id))).toEqual(uuids.toSorted());
      }),
    );
  });

  it('is written as TypeIDs are (the reference library)', () => {
    fc.assert(
      fc.property(hex, (text) => {
        const uuid = text.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
        expect(uuidToId('evt', uuid)).toBe(TypeID.fromUUID('evt', uuid).toString());
      }),
    );
  });

  it('is null for text that is not an id of the kind', () => {
    expect(idToUuid('evt', newIds()('msg', NOW))).toBeNull();
    expect(idToUuid('msg', 'msg_1')).toBeNull();
  });
});

it('the next id sorts right after an id, also past its last byte', () => {
  const next = (uuid: string): string | null => idToUuid('msg', nextId('msg', uuidToId('msg', uuid)));
  expect(next('00000000-0000-7000-8000-000000000000')).toBe('00000000-0000-7000-8000-000000000001');
  expect(next('0192a3b4-0000-7000-ffff-ffffffffffff')).toBe('0192a3b4-0000-7001-0000-000000000000');
});
