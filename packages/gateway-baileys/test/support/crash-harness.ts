import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SUBSCRIBABLE_EVENT_TYPES } from '@trunkline/core';
import type { OptInEventType } from '@trunkline/core';
import { startFakeWhatsApp } from '@trunkline/fake-whatsapp';
import { afterAll } from 'vitest';
import { quietConsole } from '../../src/socket/baileys-logs.ts';
import { must, pairByQr, untilStatus } from './flow.ts';
import type { Harness } from './flow.ts';
import { startReceiver } from './receiver.ts';
import { startServer } from './server-process.ts';
import type { ServerProcess } from './server-process.ts';

/** Longer than any lease, so a server that starts this much later finds no lease of a killed server. */
const LATER_MS = 61_000;

export interface CrashHarness extends Harness {
  readonly directory: string;
  service(): ServerProcess;
  /** Starts another server on the same data, as if a little over a minute had passed since the last start. */
  startLater(): Promise<void>;
}

// Silences the libsignal of the simulated phones, which runs in this process.
quietConsole();

const endings: (() => Promise<void>)[] = [];

afterAll(async () => {
  for (const end of endings) await end();
});

interface CrashOptions {
  /** The URL of a PostgreSQL database; by default, SQLite. */
  readonly databaseUrl?: string | undefined;
  readonly printsLog?: boolean;
  /** Event types that the receiver subscribes to in addition to the nine of the specification. */
  readonly optInEvents?: readonly OptInEventType[];
}

export async function startCrashHarness({
  databaseUrl,
  printsLog = false,
  optInEvents = [],
}: CrashOptions = {}): Promise<CrashHarness> {
  const wa = await startFakeWhatsApp();
  const directory = mkdtempSync(join(tmpdir(), 'trunkline-baileys-'));
  const receiver = await startReceiver();
  const options = { directory, databaseUrl, whatsapp: wa.client, printsLog };
  let starts = 0;
  let server = await startServer({ ...options, aheadMs: 0 });
  const { apiKey, client } = server;
  endings.push(async () => {
    await server.kill();
    await wa.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  const events = [...SUBSCRIBABLE_EVENT_TYPES, ...optInEvents];
  receiver.secret = must(await client.webhooks.create({ url: receiver.url, events })).secret;
  const { id: instance } = must(await client.instances.create({ name: 'Shop' }));
  return {
    wa,
    receiver,
    instance,
    directory,
    account: wa.account('5511900000001', { name: 'Shop' }),
    bob: wa.person('5511988887777', { name: 'Bob' }),
    service: () => server,
    async startLater() {
      starts += 1;
      server = await startServer({ ...options, apiKey, aheadMs: starts * LATER_MS });
    },
  };
}

export async function startPairedHarness(options?: CrashOptions): Promise<CrashHarness> {
  const harness = await startCrashHarness(options);
  await pairByQr(harness);
  return harness;
}

export async function comeBack(harness: CrashHarness): Promise<void> {
  const online = harness.wa.next('online', harness.account);
  await harness.startLater();
  await online;
  await untilStatus(harness, 'connected');
}
