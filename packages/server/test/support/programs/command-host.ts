// Runs commands in one process, in sequence. Each command finds the state of a new process: its arguments, environment,
// working directory and unused standard streams. After a command that leaves something behind that cannot be removed,
// no other command runs here.
import { AsyncLocalStorage } from 'node:async_hooks';
import { readdirSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { HostedCommand, HostReply } from '../command-host.ts';

// Imported as in `src/cli.ts`, so that the module is at the same depth in both bundles.
const { main } = await import('../../../src/commands/main.ts');
const MANIFEST = new URL('../../../package.json', import.meta.url);

const LOOK_EVERY_MS = 2;

class Printed extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}

interface Streams {
  readonly stdin: Readable;
  readonly stdout: Printed;
  readonly stderr: Printed;
}

// A command prints to its own streams, even after its end.
const streams = new AsyncLocalStorage<Streams>();
for (const name of ['stdin', 'stdout', 'stderr'] as const) {
  const own = process[name];
  Object.defineProperty(process, name, { get: () => streams.getStore()?.[name] ?? own });
}

async function run({ args, cwd, env, input }: HostedCommand): Promise<HostReply> {
  const before = held();
  const pending = pendingKinds();
  const printed = {
    stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]),
    stdout: new Printed(),
    stderr: new Printed(),
  };
  process.argv.splice(2, Infinity, ...args);
  replaceEnvironment(env);
  process.chdir(cwd);
  process.exitCode = undefined;
  await streams.run(printed, () => main(MANIFEST));
  // Like a process, a command ends once it waits for nothing more.
  while (isSurpassed(pending)) await setTimeout(LOOK_EVERY_MS, undefined, { ref: false });
  const code = Number(process.exitCode);
  const result = { code, stdout: printed.stdout.text(), stderr: printed.stderr.text() };
  // Output from now on is an error that ends this process.
  for (const stream of [printed.stdout, printed.stderr]) stream.removeAllListeners('error').end();
  process.exitCode = undefined;
  process.chdir('/');
  for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal);
  await closeConnections();
  return { ...result, isReusable: held() === before };
}

function replaceEnvironment(env: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}

/** A file that a blob has read. It stays listed until it is garbage-collected, but keeps no process alive. */
const READ_FILE = 'FileHandleReadWrap';

/** Counts each kind of resource that keeps this process alive. */
function pendingKinds(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo())
    if (kind !== READ_FILE) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

function isSurpassed(pending: ReadonlyMap<string, number>): boolean {
  return [...pendingKinds()].some(([kind, count]) => count > (pending.get(kind) ?? 0));
}

/** Files and locks, listeners and the umask: a command may leave these without keeping the process alive. */
function held(): string {
  const listeners = process.eventNames().map((name) => [String(name), process.listenerCount(name)]);
  return JSON.stringify([readdirSync('/dev/fd').length, process.umask(), listeners]);
}

const DISPATCHER = Symbol.for('undici.globalDispatcher.1');

/** Closes connections that `fetch` keeps for the next request, because a new process has none. */
async function closeConnections(): Promise<void> {
  const dispatcher = Reflect.get(globalThis, DISPATCHER) as Dispatcher | undefined; // undici keeps its dispatcher there
  if (dispatcher === undefined) return;
  Reflect.set(globalThis, DISPATCHER, new dispatcher.constructor());
  await dispatcher.destroy();
}

interface Dispatcher {
  readonly constructor: new () => Dispatcher;
  destroy(): Promise<void>;
}

process.on('message', (command: HostedCommand) => {
  void run(command).then((reply) => process.send?.(reply)); // a rejection ends this process
});
