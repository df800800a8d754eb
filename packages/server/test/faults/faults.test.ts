import { describe, expect, it } from 'vitest';
import type { Storage } from '@trunkline/core';
import { fileMediaStore } from '@trunkline/core/node';
import { memoryMediaStore } from '@trunkline/core/testing';
import { s3MediaStore } from '@trunkline/media-s3';
import { postgresStorage } from '@trunkline/storage-postgres';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { isLongForm } from '@trunkline/test-support/long-form';
import { MODES, modesOf } from './faults.ts';
import type { Mode } from './faults.ts';
import { ACCEPTED_BREAKS } from './accepted-breaks.ts';
import { operationsOfPorts } from './ports.ts';
import { acceptedLetters } from './matrix.ts';
import { check } from './promises.ts';
import type { Phase } from './simulation.ts';
import { inMemory } from './surroundings.ts';
import type { Surround } from './surroundings.ts';
import { throwingTelemetry } from './throwing-telemetry.ts';

const operations = operationsOfPorts();

/** Concurrent faults of independent operations: a part of what `pnpm test:long` simulates. */
const SAMPLE: readonly {
  readonly what: string;
  readonly phase?: Phase;
  readonly faults: Readonly<Record<string, Mode>>;
}[] = [
  {
    what: 'files, outcomes and look-ups that fail for a while',
    faults: {
      'media.get': 'rejects',
      'deliveries.complete': 'rejects',
      'deliveries.completeAndClaim': 'rejects',
      'contacts.save': 'rejects',
      'retention.deleteHistory': 'rejects',
      'instances.completeNotification': 'rejects',
    },
  },
  {
    what: 'calls that never return',
    faults: {
      'messages.queueHeads': 'hangs',
      'subscriptions.claim': 'hangs',
      'media.size': 'hangs',
      'chats.file': 'hangs',
      'endpoints.list': 'hangs',
      'connection.close': 'hangs',
    },
  },
  {
    what: 'slow calls, claims that were lost, and results that nobody gets',
    faults: {
      'instances.write': '30 s',
      'instances.note': '30 s',
      'subscriptions.complete': 'none',
      'messages.change': 'lost once',
      'activities.record': 'stale',
      'downloads.complete': 'once',
      'logger.error': 'rejects',
      'notifier.notify': 'lost once',
    },
  },
  {
    what: 'faults of one instance and of one endpoint',
    faults: {
      'instances.find': 'one hangs',
      'messages.receive': 'one rejects',
      'webhookSender.send': 'one 30 s',
      'deliveries.completeAndClaim': 'one hangs',
    },
  },
  {
    what: 'a start with a database in trouble',
    phase: 'start',
    faults: {
      'storage.setting': 'once',
      'leases.claim': 'none',
      'gateway.open': 'once',
    },
  },
  {
    what: 'a stop with a database that hangs',
    phase: 'stop',
    faults: { 'leases.release': 'hangs', 'webhookSender.close': 'hangs' },
  },
];

describe('faults', () => {
  it.each(isLongForm ? SAMPLE : SAMPLE.slice(0, 2))(
    '$what break no promise but those that are accepted',
    async ({ faults, phase = 'running' }) => {
      const given = Object.entries(faults).map(([name, mode]) => {
        const operation = operations.find((known) => known.name === name);
        if (!operation) throw new Error(`No port has an operation ${name}.`);
        return { operation, mode };
      });
      const { broken } = await check({ surround: inMemory, operations, faults: given, phase });
      const known = given.flatMap((fault) => [...acceptedLetters(fault, phase)]);
      const reasons = [...broken].filter(([letter]) => !known.includes(String(letter)));
      expect(Object.fromEntries(reasons)).toEqual({});
      expect([...broken.keys()].map(String).toSorted()).toEqual([...new Set(known)].toSorted());
    },
  );
});

describe('telemetry', () => {
  it.each(['startSpan', 'end'] as const)(
    'that throws at each count and at %s of each span breaks no promise',
    async (at) => {
      const { telemetry, thrown } = throwingTelemetry(at);
      const surround: Surround = async (clock) => ({ ...(await inMemory(clock)), telemetry });
      const { broken } = await check({ surround, operations, faults: [] });
      expect(Object.fromEntries(broken)).toEqual({});
      expect([...thrown].toSorted()).toEqual(['add', at, 'record'].toSorted());
    },
  );
});

describe('the ports', () => {
  const names = new Set(operations.map(({ name }) => name));

  it.each([
    ['SQLite', sqliteStorage({ path: ':memory:' })],
    ['PostgreSQL', postgresStorage({ connectionString: 'postgres://127.0.0.1/none' })],
  ] satisfies [string, Storage<unknown>][])('have every operation of the storage on %s', (_, storage) => {
    const stored = Object.entries(storage).flatMap(([key, member]: [string, unknown]) =>
      typeof member === 'object' && member !== null
        ? Object.keys(member).map((operation) => `${key}.${operation}`)
        : [`storage.${key}`],
    );
    expect(stored.filter((name) => !names.has(name))).toEqual([]);
    expect(stored.length).toBeGreaterThan(100);
  });

  it('have every operation of the media stores', () => {
    const stores = [
      memoryMediaStore(),
      fileMediaStore({ directory: '/nowhere' }),
      s3MediaStore({
        endpoint: 'http://127.0.0.1:1',
        bucket: 'bucket',
        region: 'r',
        credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      }),
    ];
    for (const store of stores)
      expect(Object.keys(store).filter((name) => name !== 'ids' && !names.has(`media.${name}`))).toEqual([]);
  });

  it('are failed in every mode by some operation', () => {
    const modes = new Set(operations.flatMap(modesOf));
    expect([...modes].toSorted()).toEqual(Object.keys(MODES).toSorted());
  });

  it('have every operation that is known to break a promise', () => {
    expect(ACCEPTED_BREAKS.map(({ operation }) => operation).filter((name) => !names.has(name))).toEqual([]);
  });
});
