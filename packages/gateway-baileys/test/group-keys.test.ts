import type { OutgoingMessage, SendOutcome } from '@trunkline/core/spi/gateway';
import type { SentMessage } from '@trunkline/fake-whatsapp';
import { elapsing, eventually } from '@trunkline/test-support';
import { describe, expect, it } from 'vitest';
import { linked } from './support/linked.ts';
import type { Linked } from './support/linked.ts';

let ids = 0;

function aText(to: string): OutgoingMessage {
  const networkId = `3EB0F${String((ids += 1)).padStart(17, '0')}`;
  return { networkId, to, isGroup: true, content: { type: 'text', text: 'to all' } };
}

const send = ({ link }: Linked, message: OutgoingMessage): Promise<SendOutcome> =>
  link.connection().send(message);

async function sent(harness: Linked, to: string): Promise<SentMessage | undefined> {
  const message = aText(to);
  expect(await send(harness, message)).toEqual({ kind: 'accepted' });
  return harness.network.wa.sentMessages({ id: message.networkId })[0];
}

function keyQueries({ network: { wa } }: Linked): number {
  const isForKeys = ({ tag }: { tag: string }): boolean => tag === 'key';
  return wa
    .transcript()
    .filter(({ direction, node }) => direction === 'received' && node.attrs['xmlns'] === 'encrypt')
    .filter(({ node }) => Array.isArray(node.content) && node.content.some(isForKeys)).length;
}

describe('a group of which WhatsApp hands out no keys', () => {
  it.each(['error', 'left_out'] as const)(
    'gets no message that nobody could read, and gets it later (%s)',
    async (how) => {
      const harness = await linked({ readsByItself: false });
      const { wa, account, reader } = harness.network;
      const group = wa.group({ subject: 'Team', members: [account, reader] });
      wa.withholdKeys(reader, how);
      const message = aText(group.jid);
      expect(await send(harness, message)).toMatchObject({
        kind: 'not_sent',
        retryAfterMs: 60_000,
        error: { code: 'recipient_unreachable' },
      });
      expect(wa.sentMessages()).toEqual([]);
      wa.handOutKeys(reader);
      expect(await send(harness, message)).toEqual({ kind: 'accepted' });
      expect(wa.sentMessages()[0]?.readableBy).toEqual([reader.phoneNumber]);
    },
  );

  it('is not written to while the query for keys is limited, or has no response', async () => {
    const harness = await linked({
      readsByItself: false,
      gateway: { socket: { defaultQueryTimeoutMs: elapsing(1_000) } },
    });
    const { wa, account, reader } = harness.network;
    const group = wa.group({ subject: 'Team', members: [account, reader] });
    const message = aText(group.jid);
    wa.refuseQueries('encrypt/get/key', 429);
    expect(await send(harness, message)).toMatchObject({
      kind: 'not_sent',
      retryAfterMs: 60_000,
      error: { code: 'network_busy' },
    });
    wa.muteQueries('encrypt/get/key');
    const before = keyQueries(harness);
    const sending = send(harness, message);
    await eventually(() => expect(keyQueries(harness)).toBeGreaterThan(before));
    await wa.inbound(reader, account, 'broken', { undecryptable: true, respondsToRetry: false });
    expect(await sending).toMatchObject({ kind: 'not_sent', error: { code: 'network_busy' } });
    expect(wa.sentMessages()).toEqual([]);
    wa.unmuteQueries();
    expect(await send(harness, message)).toEqual({ kind: 'accepted' });
    expect(wa.sentMessages()[0]?.readableBy).toEqual([reader.phoneNumber]);
  });

  it('takes a message that nobody else is there to read', async () => {
    const harness = await linked({ readsByItself: false });
    const { wa, account } = harness.network;
    const group = wa.group({ subject: 'Notes', members: [account] });
    expect(await send(harness, aText(group.jid))).toEqual({ kind: 'accepted' });
  });
});

describe('a member of whom WhatsApp hands out no keys', () => {
  it.each(['error', 'left_out'] as const)(
    'keeps no message from the others, and reads again when there are keys (%s)',
    async (how) => {
      const harness = await linked({ readsByItself: false });
      const { wa, account, reader } = harness.network;
      const ann = wa.person('5511966660001');
      const group = wa.group({ subject: 'Team', members: [account, reader, ann] });
      wa.withholdKeys(ann, how);
      // The second message needs a key for her alone.
      for (const _time of [1, 2]) {
        expect((await sent(harness, group.jid))?.readableBy).toEqual([reader.phoneNumber]);
      }
      wa.handOutKeys(ann);
      expect((await sent(harness, group.jid))?.readableBy).toEqual([reader.phoneNumber, ann.phoneNumber]);
    },
  );
});

describe('while a message to a group waits for keys', () => {
  it('messages to others go on', async () => {
    const harness = await linked({ readsByItself: false });
    const { wa, account, reader } = harness.network;
    const carol = wa.person('5511966660002');
    expect(await send(harness, { ...aText(carol.phoneNumber), isGroup: false })).toEqual({
      kind: 'accepted',
    });
    const group = wa.group({ subject: 'Team', members: [account, reader] });
    wa.muteQueries('encrypt/get/key');
    const before = keyQueries(harness);
    const outcomes: string[] = [];
    void send(harness, aText(group.jid)).then(({ kind }) => outcomes.push(`group: ${kind}`));
    await eventually(() => expect(keyQueries(harness)).toBeGreaterThan(before));
    void send(harness, { ...aText(carol.phoneNumber), isGroup: false }).then(({ kind }) =>
      outcomes.push(`Carol: ${kind}`),
    );
    await eventually(() => expect(outcomes[0]).toBe('Carol: accepted'));
  });
});
