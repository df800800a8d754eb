import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { trustFakeWhatsApp } from '../client-settings.ts';
import type { FakeWhatsApp } from '../fake-whatsapp.ts';
import type { Reply, Call } from './protocol.ts';

type Calls = Omit<FakeWhatsApp, 'client' | 'trust' | 'stop'>;

/** A server in another process, so that every method returns a promise. */
export type RemoteFakeWhatsApp = Pick<FakeWhatsApp, 'client' | 'trust' | 'stop'> & {
  readonly [Method in keyof Calls]: (
    ...args: Parameters<Calls[Method]>
  ) => Promise<Awaited<ReturnType<Calls[Method]>>>;
} & { readonly pid: number };

/**
 * Starts the server in a separate process, so that its work and memory are not the client's. The server ends with this
 * process.
 */
export async function spawnFakeWhatsApp(): Promise<RemoteFakeWhatsApp> {
  const child = fork(fileURLToPath(new URL('program.ts', import.meta.url)), { serialization: 'advanced' });
  const [first] = (await once(child, 'message')) as [Reply]; // the program sends nothing else
  if (!('started' in first)) throw new Error('the fake WhatsApp did not say where it is');

  const call = caller(child);
  const local: Pick<RemoteFakeWhatsApp, 'client' | 'trust' | 'stop' | 'pid'> = {
    client: first.started,
    pid: child.pid ?? 0,
    trust: () => trustFakeWhatsApp(first.started),
    stop: async () => {
      try {
        await call('stop', []);
      } finally {
        if (child.connected) child.disconnect();
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      }
    },
  };
  const remote = new Proxy(local, {
    get: (target, name) => {
      if (Object.hasOwn(target, name)) return Reflect.get(target, name);
      // `await` would take an object with a `then` for a promise.
      if (typeof name === 'symbol' || name === 'then') return undefined;
      return (...args: unknown[]) => call(name, args);
    },
  });
  // The proxy handles every other method.
  return remote as RemoteFakeWhatsApp;
}

type Pending = Pick<PromiseWithResolvers<unknown>, 'resolve' | 'reject'>;

function caller(child: ChildProcess): (method: string, args: readonly unknown[]) => Promise<unknown> {
  const pending = new Map<number, Pending>();
  let calls = 0;
  child.on('message', (message) => {
    const response = message as Exclude<Reply, { started: unknown }>; // the first reply has been read
    const asked = pending.get(response.id);
    pending.delete(response.id);
    if ('error' in response) asked?.reject(new Error(response.error));
    else asked?.resolve(response.result);
  });
  child.on('exit', () => {
    for (const { reject } of pending.values()) reject(new Error('the process of the fake WhatsApp is gone'));
    pending.clear();
  });
  return (method, args) =>
    new Promise((resolve, reject) => {
      calls += 1;
      pending.set(calls, { resolve, reject });
      const call: Call = { id: calls, method, args };
      child.send(call, (error) => {
        if (error !== null) reject(error);
      });
    });
}
