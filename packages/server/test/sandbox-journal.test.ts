import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { NetworkRecord } from '@trunkline/core/sandbox';
import { openSandboxJournal } from '../src/networks/sandbox-journal.ts';
import type { SandboxJournal } from '../src/networks/sandbox-journal.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const instanceId = 'ins_1';
const profile = { phoneNumber: '15550100', profileName: 'Ada', profilePictureUrl: null };
const linked: NetworkRecord = { instanceId, kind: 'linked', profile };
const unlinked: NetworkRecord = { instanceId, kind: 'unlinked' };
const group: NetworkRecord = {
  instanceId,
  kind: 'group',
  phoneNumber: '15550100',
  group: { networkId: 'g1', name: 'Choir', participantsCount: 7 },
};
const accepted = (networkId: string, receipts: readonly ('delivered' | 'read')[] = []): NetworkRecord => ({
  instanceId,
  kind: 'accepted',
  networkId,
  to: '15550101',
  text: 'Hi',
  file: null,
  receipts,
});
const inbound: NetworkRecord = {
  instanceId,
  kind: 'inbound',
  message: { networkId: 'IN1', from: '15550101', groupNetworkId: null, text: 'Hi', file: null, sentAt: 1 },
};

describe("The sandbox network's journal", () => {
  const open = (path: string): SandboxJournal => {
    const journal = openSandboxJournal(path);
    if (!journal) throw new Error('The journal is held.');
    return journal;
  };
  function remembered(...records: readonly NetworkRecord[]): readonly NetworkRecord[] {
    const path = join(temporaryDirectory(), 'sandbox.db');
    const writer = open(path);
    for (const record of records) writer.append(record);
    writer.close();
    const reader = open(path);
    const found = [...reader.load()];
    reader.close();
    return found;
  }

  it('keeps current records, in their order', () => {
    const records = [linked, group, accepted('A'), accepted('B', ['delivered', 'read']), inbound];
    expect(remembered(...records)).toEqual(records);
  });

  it('deletes obsolete records', () => {
    expect(remembered(inbound, { instanceId, kind: 'inbound_taken', networkId: 'IN1' })).toEqual([]);
    expect(remembered(linked, unlinked)).toEqual([unlinked]);
    const left: NetworkRecord = { instanceId, kind: 'group_left', phoneNumber: '15550100', networkId: 'g1' };
    expect(remembered(linked, group, left)).toEqual([linked]);
    expect(remembered(linked, unlinked, linked)).toEqual([linked]);
  });

  it('keeps the groups of a number that is unlinked', () => {
    expect(remembered(linked, group, unlinked)).toEqual([group, unlinked]);
  });

  it('keeps who is blocked, and forgets it with the end of the block', () => {
    const block = (isBlocked: boolean): NetworkRecord => ({
      instanceId,
      kind: 'block',
      person: '15550101',
      isBlocked,
    });
    expect(remembered(linked, block(true))).toEqual([linked, block(true)]);
    expect(remembered(linked, block(true), block(false))).toEqual([linked]);
  });

  it('keeps an accepted message, and its outstanding receipts', () => {
    const taken: NetworkRecord = { instanceId, kind: 'receipt_taken', networkId: 'A' };
    expect(remembered(accepted('A', ['delivered', 'read']), taken)).toEqual([accepted('A', ['read'])]);
    expect(remembered(accepted('A', ['delivered', 'read']), taken, taken)).toEqual([accepted('A')]);
  });

  it('keeps the last 100,000 messages, and those with outstanding receipts', () => {
    const path = join(temporaryDirectory(), 'sandbox.db');
    open(path).close();
    const database = new DatabaseSync(path);
    database.exec(`
      WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 100010)
      INSERT INTO fact (instance_id, kind, name, record)
      SELECT 'ins_1', 'accepted', n, json_object('networkId', n, 'receipts', json(iif(n = 2, '["read"]', '[]'))) FROM number
    `);
    database.close();
    const journal = open(path);
    const ids = Array.from(journal.load(), (record) => Number('networkId' in record ? record.networkId : 0));
    journal.close();
    expect([ids.length, ids[0], ids[1], ids.at(-1)]).toEqual([100_001, 2, 11, 100_010]);
  });

  it('is held by one process only, until it ends in any manner', () => {
    const path = join(temporaryDirectory(), 'sandbox.db');
    const journal = open(path);
    expect(openInAnotherProcess(path)).toBe('null');
    journal.append(linked);
    journal.close();
    // The other process was killed before it could close the journal.
    expect(openInAnotherProcess(path)).toBe('[{"instanceId":"ins_1"');
    const after = open(path);
    expect([...after.load()]).toEqual([linked, { ...unlinked, instanceId: 'ins_2' }]);
    after.close();
  });

  /** Runs a process that prints the first records or null, appends one, and dies by SIGKILL. */
  function openInAnotherProcess(path: string): string {
    const program = `
      const { openSandboxJournal } = await import(${JSON.stringify(new URL('../src/networks/sandbox-journal.ts', import.meta.url).href)});
      const journal = openSandboxJournal(${JSON.stringify(path)});
      process.stdout.write(JSON.stringify(journal && [...journal.load()]).slice(0, 22));
      journal?.append({ instanceId: 'ins_2', kind: 'unlinked' });
      process.kill(process.pid, 'SIGKILL');
    `;
    return spawnSync(process.execPath, ['--conditions=source', '--input-type=module', '-e', program], {
      encoding: 'utf8',
    }).stdout;
  }
});
