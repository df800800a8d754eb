import { AsyncLocalStorage } from 'node:async_hooks';
import { StatementSync } from 'node:sqlite';
import type { Pool } from 'pg';
import { now } from '../time.ts';

/** A call of a port's operation, such as `messages.accept`. */
export interface Call {
  readonly name: string;
  /** Times are in milliseconds since the epoch, with fractions. */
  readonly from: number;
  /** Infinity until the call ends. */
  to: number;
  /** The SQL statements that the call sent, with those that it does not wait for, such as notifications. */
  statements: number;
  /** How often it sent statements while it awaited no result of others. */
  trips: number;
}

export interface Recorder {
  /** Returns the same port, or object with ports, with each call recorded. */
  around<Port extends object>(port: Port, prefix?: string): Port;
  /** Removes and returns the calls so far. */
  take(): readonly Call[];
  /** The calls since `take`. */
  calls(): readonly Call[];
}

type AnyFunction = (...args: readonly unknown[]) => unknown;

/** The call that is being made, to which its statements belong. */
const within = new AsyncLocalStorage<Call>();

export function createRecorder(): Recorder {
  let calls: Call[] = [];

  const recorded = async (call: Call, result: Promise<unknown>): Promise<unknown> => {
    try {
      return await result;
    } finally {
      call.to = now();
    }
  };

  const around = <Port extends object>(port: Port, prefix = ''): Port => {
    const members = Object.entries(port).map(([key, member]: [string, unknown]): [string, unknown] => {
      const name = `${prefix}${key}`;
      if (typeof member === 'object' && member !== null) return [key, around(member, `${name}.`)];
      if (typeof member !== 'function') return [key, member];
      const recording: AnyFunction = (...args) => {
        const call = { name, from: now(), to: Infinity, statements: 0, trips: 0 };
        const result: unknown = within.run(call, () => Reflect.apply(member as AnyFunction, port, args));
        if (!(result instanceof Promise)) return result;
        calls.push(call);
        return recorded(call, result);
      };
      return [key, recording];
    });
    return Object.fromEntries(members) as Port; // the same members
  };

  return {
    around,
    calls: () => calls,
    take() {
      const taken = calls;
      calls = [];
      return taken;
    },
  };
}

/** Counts the statements of a pool's connections in the calls that send them. */
export function countStatements(pool: Pool): Pool {
  const awaited = new Map<Call, number>();
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as AnyFunction;
    Reflect.set(client, 'query', async (...args: readonly unknown[]) => {
      const call = within.getStore();
      if (!call) return query(...args);
      const before = awaited.get(call) ?? 0;
      call.statements += 1;
      if (before === 0) call.trips += 1;
      awaited.set(call, before + 1);
      try {
        return await query(...args);
      } finally {
        awaited.set(call, (awaited.get(call) ?? 1) - 1);
      }
    });
  });
  return pool;
}

/** Counts the statements of all SQLite databases of this process in the calls that run them. */
export function countSqliteStatements(): void {
  for (const name of ['get', 'all', 'run', 'iterate'] as const) {
    const method = StatementSync.prototype[name] as AnyFunction;
    Reflect.set(StatementSync.prototype, name, function counted(this: StatementSync, ...args: unknown[]) {
      const call = within.getStore();
      if (call) call.statements += 1;
      return Reflect.apply(method, this, args);
    });
  }
}
