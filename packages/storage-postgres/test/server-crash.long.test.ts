import { Pool } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import type { Instance, Lease, Signal, Storage } from '@trunkline/core/spi/storage';
import { aMessage, anEndpoint, anEvent, NOW } from '@trunkline/storage-contract/examples';
import { claimAt, sending, succeeded, takeLease } from '@trunkline/storage-contract/fixtures';
import { startPostgres } from '@trunkline/test-postgres';
import { eventually, must } from '@trunkline/test-support';
import { openStorage, storeInstance } from './support/open-storage.ts';

it('confirmed writes outlive a crash of the server, none is half done, and work continues', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const database = { url: server.url, name: 'trunkline' };
  const [one, two] = [await openStorage(database), await openStorage(database)];
  const { workspace, instance } = await storeInstance(one);
  await one.endpoints.insert(anEndpoint(workspace, { events: ['message.sent'] }), 5);
  const lease = await takeLease(two, instance);

  const confirmed: Confirmed = { accepted: new Set(), sent: new Set(), delivered: new Set() };
  let isOver = false;
  const again = async (work: () => Promise<void>): Promise<void> => {
    // A call that rejects may or may not have been carried out.
    while (!isOver) await work().catch(() => undefined);
  };
  const work = [
    ...Array.from({ length: 10 }, () => again(() => accept(one, instance, confirmed))),
    again(() => send(two, lease, confirmed)),
    again(() => deliver(one, confirmed)),
  ];
  const goesOn = async (): Promise<void> => {
    for (const ids of Object.values(confirmed)) {
      const before = ids.size;
      await eventually(() => expect(ids.size).toBeGreaterThan(before + 20));
    }
  };
  for (let crash = 0; crash < 2; crash += 1) {
    await goesOn();
    await server.crash();
  }
  await goesOn();
  isOver = true;
  await Promise.all(work);

  const pool = new Pool({ connectionString: server.url });
  onTestFinished(() => pool.end());
  for (const id of confirmed.accepted) {
    const { status } = must(await one.messages.find(workspace.id, id));
    expect(confirmed.sent.has(id) ? ['sent'] : ['queued', 'sent'], id).toContain(status);
  }
  for (const id of confirmed.delivered) {
    const found = await one.deliveries.findDetail(workspace.id, id, 0);
    expect(found?.delivery, id).toMatchObject({ status: 'success' });
  }
  const { rows } = await pool.query(COUNTS);
  expect(rows).toEqual([{ lengths: true, queued: true, sent: true, open: true }]);
  const signals: Signal[] = [];
  two.subscribe((signal) => signals.push(signal));
  await eventually(async () => {
    await accept(one, instance, confirmed);
    expect(signals).toContainEqual({ topic: 'queue', instanceId: instance.id });
  });
});

/** The ids of changes that calls have confirmed. */
interface Confirmed {
  readonly accepted: Set<string>;
  readonly sent: Set<string>;
  readonly delivered: Set<string>;
}

async function accept(storage: Storage, instance: Instance, { accepted }: Confirmed): Promise<void> {
  const message = aMessage(instance);
  await storage.messages.accept({ message, idempotency: null, backlogLimit: 1e6, trialLimit: null });
  accepted.add(message.id);
}

async function send(storage: Storage, lease: Lease, { sent }: Confirmed): Promise<void> {
  for (const { message } of await storage.messages.queueHeads([lease.instanceId], NOW)) {
    const event = anEvent({ id: message.workspaceId }, NOW, { type: 'message.sent' });
    if ((await storage.messages.change(lease, { ...sending(message), events: [event] })) === 'changed') {
      sent.add(message.id);
    }
  }
}

let time = NOW;

async function deliver(storage: Storage, { delivered }: Confirmed): Promise<void> {
  time += 1000;
  const limits = { slots: 100, startsPerWindow: 1e6 };
  const { claimed } = await storage.deliveries.claim(claimAt(time, limits));
  for (const one of claimed) {
    const written = await storage.deliveries.complete([succeeded(one, time)], time);
    if (written === 1) delivered.add(one.delivery.id);
  }
}

/** Facts that are written in one transaction and must agree. */
const COUNTS = `
  SELECT
    (SELECT length FROM trunkline.queues) = (SELECT count(*) FROM trunkline.queued_messages) AS lengths,
    (SELECT count(*) FROM trunkline.messages WHERE status = 'queued')
      = (SELECT count(*) FROM trunkline.queued_messages) AS queued,
    (SELECT count(*) FROM trunkline.messages WHERE status = 'sent')
      = (SELECT count(*) FROM trunkline.deliveries) + (SELECT count(*) FROM trunkline.open_deliveries) AS sent,
    (SELECT count(*) FROM trunkline.deliveries WHERE status <> 'success') = 0
      AND NOT EXISTS (
        SELECT 1 FROM trunkline.lanes CROSS JOIN LATERAL unnest(claims)
        WHERE delivery_id NOT IN (SELECT id FROM trunkline.open_deliveries)
      ) AS open`;
