import { stateOf, thisProcess } from '@trunkline/core/node';
import type { Logger } from '@trunkline/core/spi/storage';
import type { Database } from '../database/database.ts';
import { takeBack } from '../deliveries/lane-claims.ts';
import { takeSlot } from './process-slots.ts';
import type { ProcessSlot } from './process-slots.ts';
import { entities, integer, text } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import type { Announce, Writer } from '../database/writer.ts';

/** Knows the number of this process, and which other processes have ended. */
export interface Processes {
  /**
   * The number under which leases and claims are written; 0 before the first `releaseEnded`, after `close`, or if this
   * process has no lock file.
   */
  readonly own: () => number;
  releaseEnded(now: number): Promise<number>;
  /** Removes this process, unless it still holds work, which is released once the process has ended. */
  close(): Promise<void>;
}

interface ProcessesOptions {
  readonly file: string;
  readonly database: Database;
  readonly writer: Writer;
  readonly logger: Logger;
}

export function knownProcesses({ file, database, writer, logger }: ProcessesOptions): Processes {
  let slot: ProcessSlot | null = null;
  let own = 0;
  let isTried = false;

  const register = async (): Promise<void> => {
    isTried = true;
    try {
      slot ??= file === ':memory:' ? null : takeSlot(file);
    } catch (error) {
      const consequence =
        'if this process is killed, what it holds stays locked until its leases end; let it write to the directory of the database';
      logger.warn({ err: error, file }, `no lock file could be created next to the database: ${consequence}`);
    }
    if (!slot) return;
    const { number } = slot;
    own = await writer.run(() => {
      const { machine, namespace, pid, startedAt } = thisProcess();
      // Deletes rows from before this kernel booted, possibly on another machine.
      database.run('DELETE FROM processes WHERE machine <> ?', machine);
      const row = database.get(INSERT, number, machine, namespace, pid, startedAt);
      return row ? integer(row, 'id') : 0;
    });
  };

  const hasEnded = (row: Row): boolean => {
    const process = entities.process.read(row);
    const isHere = process.machine === thisProcess().machine;
    return isHere && stateOf(process) !== 'running' && (slot?.isFree(integer(row, 'slot')) ?? false);
  };

  return {
    own: () => own,
    async releaseEnded(now) {
      if (!isTried) await register();
      const others = database.all('SELECT * FROM processes WHERE id <> ?', own);
      const ended = others.filter(hasEnded).map((row) => integer(row, 'id'));
      if (ended.length === 0) return 0;
      return writer.run((announce) => ended.filter((id) => release(database, announce, id, now)).length);
    },
    async close() {
      try {
        if (own !== 0) await writer.run(() => database.run(REMOVE, own, own, own, own));
      } catch (error) {
        logger.debug({ err: error }, 'a process that ends could not be removed: that is done after its end');
      } finally {
        own = 0;
        slot?.release();
      }
    },
  };
}

const INSERT = `
  INSERT INTO processes (slot, machine, namespace, pid, started_at) VALUES (?, ?, ?, ?, ?) RETURNING id`;

const REMOVE = `
  DELETE FROM processes
  WHERE id = ?
    AND NOT EXISTS (SELECT 1 FROM instances WHERE lease_process = ? AND lease_owner <> '')
    AND NOT EXISTS (SELECT 1 FROM claims WHERE process = ?)
    AND NOT EXISTS (SELECT 1 FROM queued_events WHERE process = ? AND process <> 0)`;

/**
 * Releases everything that a process held, as if its leases and claims had expired. Returns false if another process
 * has already done so.
 */
function release(database: Database, announce: Announce, process: number, now: number): boolean {
  if (database.run('DELETE FROM processes WHERE id = ?', process) === 0) return false;
  for (const row of database.all(LEASES, process)) {
    database.run('DELETE FROM lease_owners WHERE owner = ?', text(row, 'lease_owner'));
    const lost = { lease_owner: '', lease_expires_at: 0, lease_lost_by: text(row, 'lease_owner') };
    database.update('instances', text(row, 'id'), lost);
    announce({ topic: 'instance', instanceId: text(row, 'id') });
  }
  const claims = database.all('SELECT * FROM claims WHERE process = ?', process);
  if (takeBack(database, claims, now) > 0) announce({ topic: 'deliveries' });
  if (database.run(EVENTS, now, process) > 0) announce({ topic: 'subscriptions' });
  return true;
}

const LEASES = "SELECT id, lease_owner FROM instances WHERE lease_process = ? AND lease_owner <> ''";

// Relies on queued_events_claimed. The token stays, so that the next claim counts this claim as lost.
const EVENTS = 'UPDATE queued_events SET due_at = ?, process = 0 WHERE process = ? AND process <> 0';
