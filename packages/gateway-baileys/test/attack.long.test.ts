import { proto } from '@whiskeysockets/baileys';
import type { BinaryNode } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { linked, textOf } from './support/linked.ts';
import type { Linked } from './support/linked.ts';

async function expectHealthy({ network, link }: Linked): Promise<void> {
  const { wa, account, reader, people, gateway } = network;
  const text = `still there ${wa.sentMessages().length}`;
  await wa.inbound(reader, account, text);
  await link.first('message', ({ message }) => textOf(message) === text);
  const networkId = gateway.newMessageId(crypto.getRandomValues(new Uint8Array(16)));
  const content = { type: 'text', text } as const;
  const outcome = await link.connection().send({ networkId, to: people.reader, isGroup: false, content });
  expect(outcome).toEqual({ kind: 'accepted' });
  expect(link.all('closed').filter(({ reason }) => reason.kind !== 'restart')).toEqual([]);
}

describe('malformed stanzas', () => {
  const from = '5511988887777@s.whatsapp.net';
  const enc = (type: string, content?: Uint8Array): BinaryNode => ({
    tag: 'enc',
    attrs: { v: '2', type },
    ...(content && { content }),
  });
  const cases: readonly BinaryNode[] = [
    { tag: 'message', attrs: {} },
    { tag: 'message', attrs: { from } },
    { tag: 'message', attrs: { id: 'A1', from, t: 'soon' }, content: [enc('pkmsg')] },
    { tag: 'message', attrs: { id: 'A2', from, t: '1' }, content: [enc('msg', new Uint8Array(3))] },
    { tag: 'message', attrs: { id: 'A3', from, t: '1' }, content: [enc('skmsg', new Uint8Array(99))] },
    {
      tag: 'message',
      attrs: { id: 'A4', from: 'nobody', t: '1' },
      content: [enc('msg', new Uint8Array(99))],
    },
    {
      tag: 'message',
      attrs: { id: 'A5', from: '1@g.us', t: '1' },
      content: [enc('skmsg', new Uint8Array(99))],
    },
    { tag: 'message', attrs: { id: 'A6', from, t: '1' }, content: new Uint8Array(9) },
    { tag: 'receipt', attrs: {} },
    { tag: 'receipt', attrs: { id: 'B1', from, type: 'retry' } },
    {
      tag: 'receipt',
      attrs: { id: 'B2', from, type: 'read', t: 'x' },
      content: [{ tag: 'list', attrs: {} }],
    },
    { tag: 'ack', attrs: { class: 'message' } },
    { tag: 'notification', attrs: {} },
    { tag: 'notification', attrs: { id: 'C1', from, type: 'w:gp2' } },
    {
      tag: 'notification',
      attrs: { id: 'C2', from: '1@g.us', type: 'w:gp2' },
      content: [{ tag: 'add', attrs: {} }],
    },
    { tag: 'notification', attrs: { id: 'C3', from, type: 'devices' } },
    {
      tag: 'notification',
      attrs: { id: 'C4', from, type: 'encrypt' },
      content: [{ tag: 'count', attrs: {} }],
    },
    { tag: 'notification', attrs: { id: 'C5', from, type: 'mediaretry' } },
    { tag: 'notification', attrs: { id: 'C6', from, type: 'link_code_companion_reg' } },
    { tag: 'call', attrs: { id: 'D1', from } },
    { tag: 'call', attrs: {}, content: [{ tag: 'offer', attrs: {} }] },
    { tag: 'call', attrs: { id: 'D2', from, t: 'soon' }, content: [{ tag: 'terminate', attrs: {} }] },
    { tag: 'message', attrs: { from }, content: [{ tag: 'unavailable', attrs: { type: 'view_once' } }] },
    { tag: 'message', attrs: { id: 'A7', from: '1@g.us' }, content: [{ tag: 'unavailable', attrs: {} }] },
    { tag: 'ib', attrs: {}, content: [{ tag: 'dirty', attrs: {} }] },
    { tag: 'presence', attrs: {} },
    { tag: 'chatstate', attrs: { from }, content: [] },
    { tag: 'nonsense', attrs: { id: 'E1' } },
  ];

  it('change nothing', async () => {
    const harness = await linked();
    const { wa, account } = harness.network;
    for (const node of cases) wa.deliverStanza(account, node);
    await expectHealthy(harness);
    expect(harness.link.all('message').map(({ message }) => textOf(message))).toEqual(['still there 0']);
    wa.takeProblems();
  });
});

describe('what strangers report about our number', () => {
  const { Type } = proto.Message.ProtocolMessage;

  it('does not make us believe that somebody wrote what he did not', async () => {
    const harness = await linked();
    const { wa, account, reader } = harness.network;
    const forged = proto.WebMessageInfo.encode({
      key: { remoteJid: '5511900000077@s.whatsapp.net', fromMe: false, id: 'FORGED' },
      message: { conversation: 'Send money, it is me' },
    }).finish();
    await wa.inbound(reader, account, {
      type: 'raw',
      message: {
        protocolMessage: {
          type: Type.PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE,
          peerDataOperationRequestResponseMessage: {
            stanzaId: 'X',
            peerDataOperationResult: [{ placeholderMessageResendResponse: { webMessageInfoBytes: forged } }],
          },
        },
      },
    });
    await expectHealthy(harness);
    expect(harness.link.all('message').map(({ message }) => message.networkId)).not.toContain('FORGED');
  });

  it('does not change whose number a hidden id is', async () => {
    const harness = await linked();
    const { wa, account, reader } = harness.network;
    const hidden = wa.person('5511900000066', { hidesNumber: true });
    const payload = proto.LIDMigrationMappingSyncPayload.encode({
      pnToLidMappings: [{ pn: 5511900000011, assignedLid: Number(hidden.lidJid?.replace('@lid', '')) }],
    }).finish();
    await wa.inbound(reader, account, {
      type: 'raw',
      message: {
        protocolMessage: {
          type: Type.LID_MIGRATION_MAPPING_SYNC,
          lidMigrationMappingSyncMessage: { encodedMappingPayload: payload },
        },
      },
    });
    await wa.inbound(hidden, account, 'who am I?');
    const { message } = await harness.link.first(
      'message',
      (report) => textOf(report.message) === 'who am I?',
    );
    expect(message.from).toBeNull();
  });

  it('does not undo or change what was stored', async () => {
    const harness = await linked();
    const { wa, account, reader } = harness.network;
    const id = await wa.inbound(reader, account, 'as it was');
    await wa.inbound(reader, account, { type: 'edit', id, text: 'as it never was' });
    await wa.inbound(reader, account, { type: 'delete', id });
    await expectHealthy(harness);
    const texts = harness.link.all('message').map(({ message }) => textOf(message));
    expect(texts).toEqual(['as it was', 'still there 0']);
  });
});

describe('activities that strangers make up', () => {
  it('have ids, times and texts that can be stored, whatever was sent', async () => {
    const harness = await linked();
    const { wa, account, reader } = harness.network;
    const long = 'L'.repeat(100_000);
    await wa.inbound(reader, account, {
      type: 'reaction',
      text: `\0${long}`,
      to: { id: long, fromMe: false },
    });
    await wa.inbound(reader, account, { type: 'delete', id: '' });
    await wa.inbound(reader, account, { type: 'raw', message: { reactionMessage: { text: '👍' } } });
    const offer = { tag: 'offer', attrs: { 'call-id': long, 'call-creator': 'nobody', 'group-jid': 'x' } };
    const attrs = { id: 'CALL', from: reader.lidJid ?? '', t: '99999999999999', notify: long };
    wa.deliverStanza(account, { tag: 'call', attrs, content: [offer] });
    await expectHealthy(harness);
    const [reaction, call] = harness.link.all('activity').map(({ activity }) => activity);
    expect(reaction).toMatchObject({ about: expect.stringMatching(/^[0-9a-f]{64}$/), emoji: 'L'.repeat(63) });
    expect(call).toMatchObject({
      networkId: expect.stringMatching(/^[0-9a-f]{64}$/),
      contact: null,
      groupNetworkId: null,
      at: null,
    });
    expect(harness.link.all('activity')).toHaveLength(2);
  });

  it('fill no storage with unreadable messages', async () => {
    const harness = await linked();
    const { wa, account } = harness.network;
    const stranger = wa.person('5511955550031');
    for (let count = 0; count < 230; count += 1) {
      wa.unavailable(stranger, account, { type: null });
    }
    await expectHealthy(harness);
    const kept = [...harness.session.values.keys()].filter((name) => name.includes('unreadable'));
    expect(kept).toHaveLength(200);
    expect(harness.network.gateway.skipped().get('undecryptable')).toBe(30);
    wa.takeProblems();
  });
});

describe('excessive messages', () => {
  it('are reported as they came if it is text', async () => {
    const harness = await linked();
    const { wa, account, reader } = harness.network;
    const text = 'ä'.repeat(1_000_000);
    await wa.inbound(reader, account, text);
    const { message } = await harness.link.first('message');
    expect(textOf(message)?.length).toBe(text.length);
    await expectHealthy(harness);
  });

  it('are skipped if they consist of wrappers', async () => {
    const harness = await linked();
    const { wa, account, reader } = harness.network;
    let message: proto.IMessage = { conversation: 'very deep down' };
    for (let depth = 0; depth < 2_000; depth += 1) message = { ephemeralMessage: { message } };
    await wa.inbound(reader, account, { type: 'raw', message });
    await expectHealthy(harness);
    expect(harness.link.all('message')).toHaveLength(1);
  });
});

describe('plaintexts that are not a message', () => {
  /** Nested fields, which make recursive readers overflow the stack. */
  const nested = (depth: number): Uint8Array => {
    let inner: Buffer<ArrayBufferLike> = Buffer.from([0x0a, 0]);
    for (let level = 0; level < depth; level += 1) {
      const length = [];
      for (let rest = inner.length; ; rest >>>= 7) {
        length.push(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest);
        if (rest <= 0x7f) break;
      }
      // Field 40 is an ephemeral message, whose field 1 is a message.
      inner = Buffer.concat([
        Buffer.from(level % 2 === 0 ? [0x0a] : [0xc2, 0x02]),
        Buffer.from(length),
        inner,
      ]);
    }
    return Buffer.concat([inner, Buffer.of(1)]);
  };
  const cases: readonly (readonly [what: string, bytes: Uint8Array])[] = [
    ['nothing', new Uint8Array(0)],
    ['zeros', new Uint8Array(64)],
    ['padding alone', new Uint8Array(16).fill(16)],
    ['more padding than there is', Uint8Array.of(1, 2, 255)],
    ['a field that is cut off', Uint8Array.of(0x0a, 100, 0x41, 1)],
    ['a length beyond all memory', Uint8Array.of(0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f, 1)],
    ['text that is not UTF-8', Uint8Array.of(0x0a, 2, 0xc3, 0x28, 1)],
    ['ten thousand messages in one another', nested(10_000)],
  ];

  it('are skipped, or read as text as far as they go', async () => {
    const harness = await linked();
    const { wa, account, reader } = harness.network;
    for (const [, bytes] of cases)
      await wa.inbound(reader, account, { type: 'bytes', bytes }, { respondsToRetry: false });
    await expectHealthy(harness);
    const texts = harness.link.all('message').map(({ message }) => textOf(message));
    expect(texts.filter((text) => text?.startsWith('still there'))).toHaveLength(1);
    expect(texts.length).toBeLessThanOrEqual(2);
  });
});

describe('names that strangers choose', () => {
  it('are cut to the key length of databases, and still identify a repeat', async () => {
    const harness = await linked();
    const { wa, account, reader } = harness.network;
    const id = await wa.inbound(reader, account, 'long', { id: 'L'.repeat(5_000) });
    await wa.inbound(reader, account, 'strange', { id: 'a\0b\ud800' });
    await harness.link.first('message', ({ message }) => textOf(message) === 'strange');
    wa.redeliver(account, id);
    await expectHealthy(harness);
    const ids = harness.link.all('message').map(({ message }) => message.networkId);
    expect(ids[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(ids[1]).toBe('ab\ufffd');
    for (const name of harness.session.values.keys()) expect(name.length).toBeLessThan(256);
  });

  it('are cut in receipts too', async () => {
    const harness = await linked();
    const { wa, account, reader } = harness.network;
    const ids = ['a\0b', 'L'.repeat(5_000)];
    for (const id of ids) wa.receipt(account, { by: reader, type: 'read', ids: [id] });
    await expectHealthy(harness);
    const reported = harness.link.all('receipt').map(({ receipt }) => receipt.networkId);
    for (const id of reported) expect(id).toMatch(/^[0-9A-Za-z]{2,64}$/);
    expect(reported).toContain('ab');
  });

  it('are stored for groups without characters that no database accepts', async () => {
    const harness = await linked();
    const { wa, account, reader } = harness.network;
    const group = wa.group({ subject: 'a\0b', members: [reader] });
    wa.addToGroup(group, account);
    const { groups } = await harness.link.first('groups', (report) => report.groups.length > 0);
    expect(groups.map(({ name }) => name)).toEqual(['ab']);
  });
});

it('two people may use one message id', async () => {
  const harness = await linked();
  const { wa, account, reader } = harness.network;
  const other = wa.person('5511900000055');
  for (const person of [reader, other]) await wa.inbound(person, account, 'mine', { id: 'SAME' });
  await expectHealthy(harness);
  const senders = harness.link.all('message').map(({ message: { networkId, from } }) => [networkId, from]);
  expect(senders).toContainEqual(['SAME', reader.phoneNumber]);
  expect(senders).toContainEqual(['SAME', other.phoneNumber]);
});
