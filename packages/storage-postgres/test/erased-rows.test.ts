import { expect, it } from 'vitest';
import { floorId } from '@trunkline/core/spi/storage';
import {
  aMessage,
  anEvent,
  anIdempotencyRecord,
  anInboundMessage,
  NOW,
  succeeded,
} from '@trunkline/storage-contract/examples';
import {
  claim,
  storeEndpoint,
  storeLeasedInstance,
  storeSubscription,
} from '@trunkline/storage-contract/fixtures';
import { must } from '@trunkline/test-support';
import { openStorage, temporarySchema } from './support/open-storage.ts';
import type { TestSchema } from './support/test-schema.ts';

const SECRET = 'secret-of-ada';
const NUMBER = '15550188777';

/** The tables with one of these texts in any column. Partitions are listed instead of their tables. */
async function tablesWith({ pool, name }: TestSchema, texts: readonly string[]): Promise<readonly string[]> {
  const { rows: tables } = await pool.query<{ table: string }>(
    `SELECT oid::regclass::text AS table FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'r'`,
    [name],
  );
  const found: string[] = [];
  for (const { table } of tables) {
    const { rows } = await pool.query(
      `SELECT 1 FROM ${table} AS item WHERE item::text LIKE ANY ($1) LIMIT 1`,
      [texts.map((text) => `%${text}%`)],
    );
    if (rows.length > 0) found.push(table.replace(/^.*\./, '').replace(/_\d+$/, ''));
  }
  return found.toSorted();
}

it('no row of any table has the text or the number of a person who was erased', async () => {
  const schema = await temporarySchema();
  const storage = await openStorage(schema);
  const { workspace, instance, lease } = await storeLeasedInstance(storage);
  await storeEndpoint(storage, workspace);
  await storeSubscription(storage);
  const report = {
    networkId: `${NUMBER}@net`,
    aliases: [`${NUMBER}@lid`],
    phoneNumber: NUMBER,
    dialledNumbers: [`9${NUMBER}`],
    name: SECRET,
    username: SECRET,
  };
  const contact = await storage.contacts.save({ lease, workspaceId: workspace.id, report, now: NOW });
  if (contact === 'fenced') throw new Error('The lease was lost.');

  const sent = aMessage(instance, { to: NUMBER, text: SECRET });
  const idempotency = anIdempotencyRecord(sent, { key: SECRET });
  await storage.messages.accept({ message: sent, idempotency, backlogLimit: 10, trialLimit: null });
  const received = anInboundMessage(instance, {
    type: 'image',
    from: NUMBER,
    text: null,
    caption: SECRET,
    contact,
    media: { available: true, mimeType: 'image/png', size: 1, filename: SECRET, sha256: SECRET },
    payload: { latitude: 1, longitude: 2, name: SECRET, address: NUMBER },
  });
  await storage.uploads.reserve(received.id, NOW);
  const subject = { instanceId: instance.id, messageId: received.id };
  for (const [index, message] of [received, anInboundMessage(instance, { from: NUMBER, contact })].entries())
    await storage.messages.receive(lease, {
      message,
      senderId: `${NUMBER}@net`,
      contact,
      event: anEvent(workspace, NOW + index, {
        payload: JSON.stringify({ data: { text: SECRET, from: NUMBER } }),
        subject: { ...subject, messageId: message.id },
      }),
    });
  const [claimed] = await claim(storage, NOW + 10, { limit: 1 });
  const completion = succeeded(must(claimed), NOW + 10);
  const attempt = { ...completion.attempt, responseBody: `you wrote ${SECRET}` };
  await storage.deliveries.complete([{ ...completion, attempt }], NOW + 10);
  await storage.sessions.save(lease, new Map([[`key.session.${NUMBER}.0`, Uint8Array.of(1)]]));

  const texts = [SECRET, NUMBER];
  const before = await tablesWith(schema, texts);
  for (const table of [
    'messages',
    'contacts',
    'contact_network_ids',
    'contact_numbers',
    'idempotency_records',
    'events',
    'deliveries',
  ])
    expect(
      before.some((name) => name.startsWith(table)),
      table,
    ).toBe(true);

  const { rows } = await storage.erasure.listMessages(workspace.id, { after: null, limit: 100 });
  const ids = rows.map(({ message }) => message.id);
  expect(ids).toHaveLength(3);
  await storage.erasure.deleteMessages(workspace.id, { ids, unfinished: 'deleted', limit: 100 });
  await storage.sessions.erase(instance.id, [`key.session.${NUMBER}.0`]);
  await storage.erasure.deleteContacts(workspace.id, { ids: [contact.id], unlessAfter: floorId('msg', 0) });
  expect(await tablesWith(schema, texts)).toEqual([]);
});
