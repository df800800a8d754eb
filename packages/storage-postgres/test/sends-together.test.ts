import { expect, it } from 'vitest';
import type { Message } from '@trunkline/core/spi/storage';
import { aMessage, NOW } from '@trunkline/storage-contract/examples';
import { accept, sending, takeLease } from '@trunkline/storage-contract/fixtures';
import { openStorage, storeInstance, temporarySchema } from './support/open-storage.ts';
import { watchedPool } from './support/watched-pool.ts';

const ROUNDS = 6;
const RECIPIENTS = 8;

it('sends of one number that are recorded, held and begun together do not deadlock, and leave in order', async () => {
  const schema = await temporarySchema();
  const errors: string[] = [];
  const storage = await openStorage(schema, { pool: watchedPool(schema, errors), notifications: false });
  const { messages } = storage;
  const { instance } = await storeInstance(storage);
  const lease = await takeLease(storage, instance);
  const look = { limit: RECIPIENTS, withFiles: true };
  const accepted: Message[] = [];
  const left: Message[] = [];

  const acceptOne = async (index: number): Promise<void> => {
    const message = aMessage(instance, { to: `155501${10 + (index % RECIPIENTS)}` });
    accepted.push(message);
    await accept(storage, message);
  };
  /** The outcome of a send is recorded while its message is set aside, because that took long. */
  const settle = async (message: Message): Promise<void> => {
    const place = { messageId: message.id, tries: 0, dueAt: NOW, heldSince: NOW };
    const [, changed] = await Promise.all([
      messages.postpone(lease, place),
      messages.change(lease, sending(message)),
    ]);
    expect(changed).toBe('changed');
    left.push(message);
  };

  for (let round = 0; round < ROUNDS; round += 1) {
    const indexes = Array.from({ length: 2 * RECIPIENTS }, (_, index) => index);
    const heads = await messages.queueHeads([instance.id], NOW, look);
    await Promise.all([
      ...heads.map(({ message }) => settle(message)),
      ...indexes.map(acceptOne),
      messages.queueHeads([instance.id], NOW, look),
    ]);
  }
  for (;;) {
    const heads = await messages.queueHeads([instance.id], NOW, look);
    if (heads.length === 0) break;
    // Alone, as an outcome waits longer for a lock than several do.
    for (const { message } of heads) await settle(message);
  }

  // 40P01 is a deadlock.
  expect(errors.filter((code) => code === '40P01')).toEqual([]);
  const idsTo = (of: readonly Message[], to: string | null) =>
    of.flatMap((one) => (one.to === to ? [one.id] : []));
  for (const to of new Set(accepted.map((message) => message.to)))
    expect(idsTo(left, to)).toEqual(idsTo(accepted, to));
  expect(left).toHaveLength(ROUNDS * 2 * RECIPIENTS);
  // The queue counts as empty.
  const acceptance = { message: aMessage(instance), idempotency: null, backlogLimit: 1, trialLimit: null };
  expect(await messages.accept(acceptance)).toEqual({ kind: 'accepted' });
});
