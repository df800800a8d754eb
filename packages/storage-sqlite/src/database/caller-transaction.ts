import { statSync } from 'node:fs';
import type { Signal } from '@trunkline/core/spi/storage';
import { withStatements } from './database.ts';
import type { Database } from './database.ts';
import { DatabaseSync } from './node-sqlite.ts';

/** The shortest and the longest wait between two checks of whether the caller's transaction has ended. */
const FIRST_LOOK_MS = 1;
const LAST_LOOK_MS = 100;

/** A transaction that the caller began and will end, on the caller's connection. */
export interface CallerTransaction {
  readonly database: Database;
  /**
   * Does all of `work`, or nothing if `work` throws. Earlier work stays unless SQLite rolls back the whole transaction.
   */
  attempt<Result>(work: () => Result): Result;
}

/**
 * Throws a TypeError that names the fault unless `transaction` is a connection to `file` with an open transaction.
 * Statements are prepared again for each call, because cached statements would keep the caller's connection from being
 * garbage-collected.
 */
export function callerTransaction(file: string, transaction: unknown): CallerTransaction {
  const connection = checkConnection(file, transaction);
  // The storage's own connection has this setting, too. Without it, copies of rows stay in the file when a page is
  // split.
  connection.exec('PRAGMA secure_delete = ON');
  const database = withStatements(connection);
  return {
    database,
    attempt(work) {
      database.run('SAVEPOINT trunkline');
      try {
        const result = work();
        database.run('RELEASE trunkline');
        return result;
      } catch (error) {
        // If the disk is full, SQLite may have rolled back the whole transaction already.
        if (connection.isTransaction) connection.exec('ROLLBACK TO trunkline; RELEASE trunkline');
        throw error;
      }
    },
  };
}

/**
 * Announces the work in a transaction when the transaction has ended, whether committed or not. SQLite does not report
 * the end, so the connection is polled. The first check follows the current turn of the event loop, in which the
 * transaction usually ends.
 */
export function announceAtEnd(publish: (signal: Signal) => void): (of: unknown, signal: Signal) => void {
  const open = new Map<DatabaseSync, Map<string, Signal>>();

  const look = (connection: DatabaseSync, waitMs: number): void => {
    if (connection.isOpen && connection.isTransaction) {
      const next = Math.min(waitMs * 2, LAST_LOOK_MS);
      setTimeout(look, waitMs, connection, next).unref();
      return;
    }
    const signals = open.get(connection) ?? new Map<string, Signal>();
    open.delete(connection);
    for (const signal of signals.values()) publish(signal);
  };

  return (of, signal) => {
    if (!(of instanceof DatabaseSync)) return;
    const known = open.get(of);
    const signals = known ?? new Map<string, Signal>();
    signals.set(JSON.stringify(signal), signal);
    if (known) return;
    open.set(of, signals);
    setImmediate(look, of, FIRST_LOOK_MS).unref();
  };
}

function checkConnection(file: string, transaction: unknown): DatabaseSync {
  if (!(transaction instanceof DatabaseSync)) throw wrong('it must be a DatabaseSync of node:sqlite');
  if (!transaction.isOpen) throw wrong('its connection is closed');
  if (!isSameFile(file, transaction.location())) throw wrong(`it is not a connection to ${file}`);
  if (!transaction.isTransaction) throw wrong('no transaction is open on it: run BEGIN IMMEDIATE first');
  return transaction;
}

/** Compares device and inode numbers, because one file may have several names. */
function isSameFile(file: string, other: string | null): boolean {
  if (file === ':memory:' || other === null) return false;
  const [a, b] = [file, other].map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }));
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

function wrong(why: string): TypeError {
  return new TypeError(`sqliteStorage: the transaction cannot be used: ${why}.`);
}
