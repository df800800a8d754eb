import * as fc from 'fast-check';
import { HEALTHY, uuidToId } from '@trunkline/core/spi/storage';
import type { Endpoint, Instance } from '@trunkline/core/spi/storage';
import { describe, expect, it } from 'vitest';
import { BOOLEAN, PLAIN_CODECS, uuidIds } from './codec.ts';
import type { Codecs } from './codec.ts';
import { rowMapper } from './columns.ts';
import type { AnyColumn, ColumnKind } from './columns.ts';
import * as maps from './entities.ts';
import { entityRows } from './entity-rows.ts';

const ID = '01h00000000000000000000000';

const plainRows = entityRows(PLAIN_CODECS);

describe.each<[string, Codecs<unknown>]>([
  ['plain columns', PLAIN_CODECS],
  ['uuids and booleans', { ...PLAIN_CODECS, id: uuidIds, flag: BOOLEAN }],
])('a database of %s', (_, codecs) => {
  it.each(Object.entries(maps))('returns what it was given: %s', (_name, map) => {
    const mapper = rowMapper<object, unknown>(map, codecs);
    fc.assert(
      fc.property(anyObject(map), fc.dictionary(fc.string(), fc.string()), (given, others) => {
        const columns = mapper.columns(given);
        expect(Object.keys(columns)).toEqual(Object.keys(mapper.kinds));
        const read = mapper.read({ ...others, ...columns });
        expect(read).toEqual(given);
        expect(mapper.columns(read)).toEqual(columns);
      }),
      { numRuns: 50 },
    );
  });
});

describe('a row', () => {
  const instance = plainRows.instance.columns(anInstance());

  it('has a column for each field of its object, in snake case', () => {
    expect(Object.keys(instance).toSorted()).toEqual(
      Object.keys(anInstance())
        .map((field) => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
        .toSorted(),
    );
  });

  it.each([
    ['status', null, 'object'],
    ['status', undefined, 'undefined'],
    ['version', '1', 'string'],
    ['logout_refused', 2, 'number'],
  ])('is refused, with the column named, if its column %s holds %j', (column, held, type) => {
    expect(() => plainRows.instance.read({ ...instance, [column]: held })).toThrow(
      new TypeError(
        `The column ${column} has a value of type ${type}, which cannot be read: check the database for damage.`,
      ),
    );
  });

  it('is not written if an id does not have its form', () => {
    const { member } = entityRows<unknown>({ ...PLAIN_CODECS, id: uuidIds });
    const columns = (id: string): unknown =>
      member.columns({
        id,
        workspaceId: `ten_${ID}`,
        email: 'ada@example.com',
        emailVerified: true,
        administersWebhooks: false,
        createdAt: 0,
      });
    expect(columns(`mem_${ID}`)).toMatchObject({ administers_webhooks: 0 });
    expect(() => columns(`msg_${ID}`)).toThrow(TypeError);
  });
});

describe('the row of an instance', () => {
  it('has the lease of its owner', () => {
    const row = { ...plainRows.instance.columns(anInstance()), lease_owner: 'a', lease_epoch: 7 };
    expect(plainRows.leasedInstance(row)).toEqual({
      instance: anInstance(),
      lease: { instanceId: `ins_${ID}`, owner: 'a', epoch: 7 },
    });
  });
});

describe('the row of an endpoint', () => {
  const endpoint: Endpoint = {
    id: `wh_${ID}`,
    workspaceId: `ten_${ID}`,
    url: 'https://example.com/hooks',
    description: null,
    events: ['message.received', 'message.sent'],
    status: 'enabled',
    traceContext: false,
    instances: null,
    sealedSecret: 'sealed',
    sealedPreviousSecret: null,
    secretBeginsAt: null,
    secretHint: 'whsec_…',
    disabledAt: null,
    disabledReason: null,
    health: { ...HEALTHY, failingSince: 5, exhausted: true },
    createdAt: 1,
    updatedAt: 2,
    version: 3,
  };

  it('has its health in columns of its own', () => {
    const columns = plainRows.endpoint.columns(endpoint);
    expect(columns).toMatchObject({ url: endpoint.url, failing_since: 5, exhausted: 1, warned_at: null });
    expect(columns).not.toHaveProperty('health');
    expect(Object.keys(plainRows.endpoint.kinds).toSorted()).toEqual(Object.keys(columns).toSorted());
    expect(plainRows.endpoint.read(columns)).toEqual(endpoint);
  });

  it('is changed in parts: the settings, or only the failures', () => {
    expect(plainRows.endpointSettings.columns(endpoint)).not.toHaveProperty('failing_since');
    expect(plainRows.endpointFailures.columns(endpoint.health)).toEqual({
      failing_since: 5,
      exhausted: 1,
      warned_at: null,
    });
  });
});

describe('a round of retries', () => {
  it.each([null, { beganAt: 1, calledAt: 2 }])('comes back from the row that it is kept in: %j', (round) => {
    const columns = plainRows.retryRound.columns(round);
    expect(Object.keys(columns)).toEqual(['retry_round_began_at', 'retry_round_called_at']);
    expect(plainRows.retryRound.read(columns)).toEqual(round);
  });
});

function anyObject(map: Readonly<Record<string, AnyColumn>>): fc.Arbitrary<object> {
  const fields = Object.entries(map).map(([field, { kind, prefix = 'msg', isNullable = false }]) => {
    const value = kind === 'id' ? fc.uuid().map((uuid) => uuidToId(prefix, uuid)) : VALUES[kind];
    return [field, isNullable ? fc.option(value) : value];
  });
  return fc.record<object>(Object.fromEntries(fields));
}

const word = fc.constantFrom('queued', 'message.sent', 'auto_no_delivery_72h');

const VALUES: Readonly<Record<Exclude<ColumnKind, 'id'>, fc.Arbitrary<unknown>>> = {
  text: fc.string({ unit: 'binary' }),
  word,
  words: fc.array(word),
  integer: fc.maxSafeInteger(),
  flag: fc.boolean(),
  // Goes through JSON first, because JSON turns -0 into 0.
  json: fc.dictionary(fc.string(), fc.jsonValue()).map((value): unknown => JSON.parse(JSON.stringify(value))),
};

function anInstance(): Instance {
  return {
    id: `ins_${ID}`,
    workspaceId: `ten_${ID}`,
    name: 'Support',
    network: 'sandbox',
    status: 'connected',
    desired: 'running',
    phoneNumber: '+15550100',
    profileName: null,
    profilePictureUrl: null,
    lastError: null,
    restriction: { code: 'sending_capped', until: 5 },
    droppedAt: null,
    qr: null,
    passkey: null,
    pairingNumber: null,
    sealedProxyUrl: 'sealed',
    sealedCredentials: 'sealed too',
    capabilities: ['text'],
    pace: 'off',
    operation: { id: `opr_${ID}`, kind: 'logout', requestedAt: 9 },
    operationOutcome: null,
    logoutRefused: false,
    statusChangedAt: 4,
    linkedAt: 3,
    connectedAt: 4,
    disconnectedAt: null,
    lastSeenAt: null,
    downSince: null,
    downNotifiedAt: null,
    createdAt: 1,
    updatedAt: 4,
    version: 6,
  };
}
