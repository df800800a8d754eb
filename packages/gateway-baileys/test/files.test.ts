import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger, MessageResource } from '@trunkline/core';
import { silentLogger } from '@trunkline/core';
import { describe, expect, it } from 'vitest';
import { eventually } from '@trunkline/test-support';
import { must, startLinkedFlow, untilMessage, untilNotified } from './support/flow.ts';
import type { Service } from './support/service.ts';

const FILE = { type: 'document', mimeType: 'text/plain', filename: 'a.txt' } as const;

describe('a received file', () => {
  it('that stalls, and fifty of them, hold up no text and no receipt, nor the end of the process', async () => {
    const flow = await startLinkedFlow();
    const { wa, account, bob, instance } = flow;
    const text = { instance, to: bob.phoneNumber, type: 'text', text: 'Hello' } as const;
    const sent = must(await flow.service().client.messages.send(text));
    const { id } = await wa.nextMessage();
    await untilMessage(flow, sent.id, 'sent');
    wa.failMedia('stall', 50);
    const begun = performance.now();
    for (let index = 0; index < 50; index++) {
      await wa.inbound(bob, account, { ...FILE, bytes: new Uint8Array(100_000).fill(index) });
    }
    await wa.inbound(bob, account, 'after them');
    wa.receipt(account, { by: bob, type: 'read', ids: [id] });
    await untilNotified(flow, 'message.received');
    await untilMessage(flow, sent.id, 'read');
    await flow.service().stop();
    // The downloads are given a minute each: all of this was done before the first one's was over.
    expect(performance.now() - begun).toBeLessThan(60_000);
  });

  it('that cannot be stored costs neither the connection nor the file, which arrives when there is room', async () => {
    const errors: unknown[] = [];
    const logger: Logger = { ...silentLogger, error: (facts) => void errors.push(facts['err']) };
    const flow = await startLinkedFlow({ logger });
    const { wa, account, bob, receiver, directory } = flow;
    const media = join(directory, 'media');
    rmSync(media, { recursive: true, force: true });
    writeFileSync(media, 'no directory');
    const bytes = new Uint8Array(100_000).fill(1);
    await wa.inbound(bob, account, { ...FILE, bytes });
    await eventually(() => expect(errors).not.toEqual([]));
    expect(String(errors[0])).toContain(`The media directory ${media} cannot be written (`);
    await wa.inbound(bob, account, 'after it');
    await untilNotified(flow, 'message.received');
    expect(await listed(flow.service())).toMatchObject([{ text: 'after it' }]);

    rmSync(media);
    mkdirSync(media);
    const both = await eventually(async () => {
      const messages = await listed(flow.service());
      expect(messages).toHaveLength(2);
      return messages;
    });
    const file = both.find(({ type }) => type === 'document');
    expect(file).toMatchObject({ media: { available: true, filename: 'a.txt', size: bytes.length } });
    await eventually(() =>
      expect(receiver.events.filter(({ type }) => type === 'message.received')).toHaveLength(2),
    );
    expect(receiver.events.map(({ type }) => type)).not.toContain('instance.disconnected');
  });
});

async function listed({ client }: Service): Promise<readonly MessageResource[]> {
  const page = await client.messages.list({ direction: 'inbound' });
  if (!page.ok) throw new Error(page.error.code);
  return page.data;
}
