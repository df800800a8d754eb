import { UnavailableError } from '@trunkline/core/spi/storage';
import type { Operation } from './ports.ts';
import type { SimulatedClock } from './simulated-clock.ts';

const SECOND = 1_000;

/** How long a fault lasts, unless it ends with one call. */
export const FAULT_MS: number = 75 * SECOND;

/** The ways in which an operation fails, which are the columns of the matrix. */
export const MODES = {
  once: { kind: 'reject', calls: 1 },
  'lost once': { kind: 'lose', calls: 1 },
  rejects: { kind: 'reject' },
  'answer lost': { kind: 'lose' },
  hangs: { kind: 'hang' },
  '30 s': { kind: 'delay', ms: 30 * SECOND },
  '2 s': { kind: 'delay', ms: 2 * SECOND },
  fenced: { kind: 'refuse' },
  stale: { kind: 'refuse' },
  none: { kind: 'refuse' },
  'one rejects': { kind: 'reject', ofOne: true },
  'one hangs': { kind: 'hang', ofOne: true },
  'one 30 s': { kind: 'delay', ms: 30 * SECOND, ofOne: true },
} as const satisfies Record<string, Failing>;

export type Mode = keyof typeof MODES;

export interface Failing {
  /** `lose` does the work and loses the result; `refuse` returns that nothing was done. */
  readonly kind: 'reject' | 'lose' | 'hang' | 'delay' | 'refuse';
  /** How many calls fail; by default, all while the fault lasts. */
  readonly calls?: number;
  readonly ms?: number;
  /** Whether only calls about one instance, or one endpoint, fail. */
  readonly ofOne?: boolean;
}

/** One operation that fails in one way: a cell of the matrix. */
export interface Fault {
  readonly operation: Operation;
  readonly mode: Mode;
}

/** Matches the names of operations that change nothing. For them, a lost result is the same as a failure. */
const READS = /\.(find|list|count|load|read|names|is|has|describe|coverage|queue|size|get)/;

/** The modes in which an operation can fail. */
export function modesOf({ name: operation, isAsync, refusals }: Operation): readonly Mode[] {
  const names = Object.keys(MODES) as Mode[]; // no other keys
  return names.filter((name) => {
    const { kind } = MODES[name];
    if (kind === 'refuse') return refusals.some(({ column }) => column === name);
    if (kind === 'lose' && READS.test(operation)) return false;
    return isAsync || (kind === 'reject' && !name.startsWith('one')) || name === 'answer lost';
  });
}

/** Injects faults into the operations of ports, and counts all calls. */
export interface Faults {
  /** Returns the port with faults injected into its operations. Other members stay as they are. */
  around<Port extends object>(prefix: string, port: Port, options?: AroundOptions): Port;
  begin(): void;
  end(): void;
  /** A call concerns only one instance or endpoint if it contains ids of `one`, and no ids of `others`. */
  readonly one: Set<string>;
  readonly others: Set<string>;
  /** How many calls have met the fault. */
  hits(fault: Fault): number;
  /** Operations that were called while the faults lasted. */
  readonly called: ReadonlySet<string>;
  /** Operations with a call that concerned only `one`. */
  readonly calledForOne: ReadonlySet<string>;
  /** The maximum number of calls in a second. */
  busiestSecond(): number;
  /** The operation that was called endlessly without a pause; null if no operation was. */
  endless(): string | null;
}

interface AroundOptions {
  /** The id of the instance that the connection belongs to. */
  readonly about?: string;
  /** Whether time stops until the port's calls settle; false for calls that wait for the clock. */
  readonly isIo?: boolean;
}

/** More calls than any pass or request makes while time stands still. */
const ENDLESS = 3_000;

/** The beginning of each injected error's message. */
export const INJECTED = 'injected fault';

type Method = (...values: unknown[]) => unknown;

export function faultsOf(
  clock: SimulatedClock,
  operations: readonly Operation[],
  faults: readonly Fault[],
): Faults {
  const known = new Map(operations.map((operation) => [operation.name, operation]));
  const faultOf = new Map(faults.map((fault) => [fault.operation.name, { fault, hits: 0 }]));
  const one = new Set<string>();
  const others = new Set<string>();
  const called = new Set<string>();
  const calledForOne = new Set<string>();
  let isOn = false;
  let second = { at: 0, calls: 0 };
  let moment = { at: 0, calls: 0 };
  let busiest = 0;
  let endless: string | null = null;

  const count = ({ name, isAsync }: Operation): void => {
    if (isOn) called.add(name);
    if (!isAsync) return;
    const now = clock.now();
    const at = Math.floor(now / SECOND);
    if (at !== second.at) second = { at, calls: 0 };
    if (now !== moment.at) moment = { at: now, calls: 0 };
    second.calls += 1;
    moment.calls += 1;
    busiest = Math.max(busiest, second.calls);
  };

  const concernsOne = (values: readonly unknown[], about: string | undefined): boolean => {
    const text = `${about} ${textOf(values)}`;
    return [...one].some((id) => text.includes(id)) && ![...others].some((id) => text.includes(id));
  };

  /** Returns the fault that applies to this call, and counts it as a hit. */
  const meet = (name: string, values: readonly unknown[], about: string | undefined): Fault | null => {
    const met = isOn && faultOf.get(name);
    if (!met) return null;
    const { calls = Infinity, ofOne = false }: Failing = MODES[met.fault.mode];
    if (met.hits >= calls || (ofOne && !concernsOne(values, about))) return null;
    met.hits += 1;
    return met.fault;
  };

  const fail = ({ operation, mode }: Fault, work: () => unknown): unknown => {
    const { kind, ms = 0 }: Failing = MODES[mode];
    const error = new UnavailableError(`${INJECTED} in ${operation.name}`);
    if (!operation.isAsync) {
      if (kind === 'lose') work();
      throw error;
    }
    switch (kind) {
      case 'reject':
        return Promise.reject(error);
      case 'lose':
        return Promise.resolve(work()).then(() => Promise.reject(error));
      case 'hang':
        return never();
      case 'delay':
        return new Promise((resolve) => clock.setTimer(ms, () => resolve(null))).then(work);
      case 'refuse':
        return Promise.resolve(operation.refusals.find(({ column }) => column === mode)?.value);
    }
  };

  const around = <Port extends object>(prefix: string, port: Port, options: AroundOptions = {}): Port => {
    const { about, isIo = false } = options;
    const wrapped = Object.entries(port).map(([key, member]: [string, unknown]) => {
      if (typeof member !== 'function')
        return [key, isPlainObject(member) ? around(key, member, options) : member] as const;
      const operation = known.get(`${prefix}.${key}`);
      if (!operation) return [key, member] as const;
      const method = member as Method; // an operation of a port
      const call = (values: unknown[]): unknown => {
        const result = method.apply(port, values);
        return isIo && operation.isAsync ? readInTime(clock, clock.during(Promise.resolve(result))) : result;
      };
      return [
        key,
        (...values: unknown[]) => {
          const { name, isAsync } = operation;
          count(operation);
          if (isOn && faults.length === 0 && concernsOne(values, about)) calledForOne.add(name);
          if (moment.calls > ENDLESS && isAsync) {
            endless ??= name;
            return never();
          }
          const fault = meet(name, values, about);
          return fault ? fail(fault, () => call(values)) : call(values);
        },
      ] as const;
    });
    return Object.fromEntries(wrapped) as Port; // each operation with its original type
  };

  return {
    around,
    begin() {
      isOn = true;
    },
    end() {
      isOn = false;
    },
    one,
    others,
    hits: ({ operation }) => faultOf.get(operation.name)?.hits ?? 0,
    called,
    calledForOne,
    busiestSecond: () => busiest,
    endless: () => endless,
  };
}

/** Returns the result. If the result is a stream, time also stops during its reads. */
async function readInTime(clock: SimulatedClock, result: Promise<unknown>): Promise<unknown> {
  const value = await result;
  if (!(value instanceof ReadableStream)) return value;
  const reader = value.getReader();
  return new ReadableStream({
    async pull(controller) {
      const { done, value: chunk } = await clock.during(reader.read());
      if (done) controller.close();
      else controller.enqueue(chunk);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

function never(): Promise<never> {
  return new Promise(() => {});
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** The arguments of a call as text, to find the ids in them. */
function textOf(values: readonly unknown[]): string {
  try {
    return JSON.stringify(values, (_, value: unknown) => (value instanceof Map ? [...value] : value)) ?? '';
  } catch {
    return ''; // values without JSON, such as a stream that refers to itself, hold no ids
  }
}
