// Serves the REST API on the loopback WhatsApp until its parent exits or it is killed. Prints each write that the
// network causes, as soon as it is on disk.
import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { inspect } from 'node:util';
import { serve } from '@hono/node-server';
import type { Logger, Storage } from '@trunkline/core';
import { systemClock } from '@trunkline/core/node';
import { trustFakeWhatsApp } from '@trunkline/fake-whatsapp';
import type { ServerFacts, ServerOptions } from '../server-process.ts';
import { startService } from '../service.ts';

const options = JSON.parse(process.argv[2] ?? '') as ServerOptions; // written by server-process.ts
/** The number of writes until this process is killed; null for never. */
let writesLeft: number | null = null;

flushCompileCache();
trustFakeWhatsApp(options.whatsapp);
const clock = systemClock();
const service = await startService({
  directory: options.directory,
  databaseUrl: options.databaseUrl,
  apiKey: options.apiKey,
  logger: options.printsLog ? printing() : undefined,
  clock: { ...clock, now: () => clock.now() + options.aheadMs },
  gateway: { socket: { waWebSocketUrl: options.whatsapp.waWebSocketUrl } },
  around: killable,
});
const server = serve({ fetch: service.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  const baseUrl = `http://127.0.0.1:${port}/api/v1`;
  process.send?.({ baseUrl, apiKey: service.apiKey } satisfies ServerFacts);
});
process.on('message', (writes) => {
  writesLeft = Number(writes);
  process.send?.('noted');
});
process.on('disconnect', () => void stop());

async function stop(): Promise<void> {
  server.close();
  await service.stop();
  // Baileys' timers would keep the process running for up to a minute.
  process.exit();
}

/** Wraps the storage so that the process is killed at the given write, before the write's result is known. */
function killable(storage: Storage<never>): Storage<never> {
  const { actions, activities, messages, sessions } = storage;
  const last =
    <Args extends readonly unknown[], Result>(name: string, write: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      if (writesLeft === 0) process.kill(process.pid, 'SIGKILL');
      const result = await write(...args);
      print(`${performance.timeOrigin + performance.now()} ${name}`);
      if (writesLeft !== null && (writesLeft -= 1) === 0) process.kill(process.pid, 'SIGKILL');
      return result;
    };
  return {
    ...storage,
    actions: { ...actions, finish: last('finishAction', actions.finish) },
    activities: { ...activities, record: last('activity', activities.record) },
    sessions: { ...sessions, save: last('saveSession', sessions.save) },
    messages: {
      ...messages,
      receive: last('receive', messages.receive),
      change: last('change', messages.change),
      postpone: last('postpone', messages.postpone),
    },
  };
}

function printing(): Logger {
  const at =
    (level: string): Logger['info'] =>
    (facts, message) =>
      print(`${level} ${message} ${inspect(facts, { depth: 20, showHidden: true })}`);
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** Prints synchronously, so that the output survives a kill. */
function print(line: string): void {
  writeSync(1, `${line}\n`);
}
