import { silentLogger } from '@trunkline/core';
import type { OutgoingMessage } from '@trunkline/core/spi/gateway';
import { systemRandom } from '@trunkline/core/node';
import { baileysGateway } from '@trunkline/gateway-baileys';
import { openLink } from '@trunkline/gateway-contract';
import { describe, expect, it } from 'vitest';
import { isLongForm } from '@trunkline/test-support/long-form';
import { hurriedClock, linked } from './support/linked.ts';
import type { Linked } from './support/linked.ts';

let ids = 0;

function aText({ network }: Pick<Linked, 'network'>, text = 'Hello'): OutgoingMessage {
  const networkId = `3EB0${String((ids += 1)).padStart(18, '0')}`;
  return { networkId, to: network.reader.phoneNumber, isGroup: false, content: { type: 'text', text } };
}

describe('a message is accepted', () => {
  it('when the network says so, and not before', async () => {
    const harness = await linked();
    const { wa } = harness.network;
    wa.holdAcks();
    let outcome: unknown = 'none';
    const sending = harness.link.connection().send(aText(harness));
    void sending.then((response) => (outcome = response));
    await harness.link.first('receipt');
    expect(outcome).toBe('none');
    wa.releaseAcks();
    expect(await sending).toEqual({ kind: 'accepted' });
  });

  const REFUSALS: readonly (readonly [number, string])[] = [
    [479, 'message_not_acceptable'],
    [403, 'not_allowed'],
    [420, 'network_refused'],
  ];

  it.each(isLongForm ? REFUSALS : REFUSALS.slice(0, 1))(
    'unless the network refuses it by %i',
    async (code, error) => {
      const harness = await linked();
      const { wa, account } = harness.network;
      wa.refuseNextMessage(account, code);
      expect(await harness.link.connection().send(aText(harness))).toMatchObject({
        kind: 'refused',
        error: { code: error },
      });
      expect(await harness.link.connection().send(aText(harness))).toEqual({ kind: 'accepted' });
      expect(wa.sentMessages()).toHaveLength(2);
    },
  );

  it.runIf(isLongForm)(
    'only if the outcome is known: not if the network has problems, does not respond, or is gone',
    async () => {
      const harness = await linked({ clock: hurriedClock() });
      const { wa, account } = harness.network;
      wa.refuseNextMessage(account, 503);
      expect(await harness.link.connection().send(aText(harness))).toMatchObject({ kind: 'unknown' });
      wa.loseNextMessage(account);
      expect(await harness.link.connection().send(aText(harness))).toMatchObject({ kind: 'unknown' });
      wa.holdAcks();
      const held = aText(harness);
      const sending = harness.link.connection().send(held);
      await harness.link.first('receipt', ({ receipt }) => receipt.networkId === held.networkId);
      wa.drop(account);
      expect(await sending).toEqual({ kind: 'unknown', reason: 'the connection closed' });
    },
  );
});

describe('a recipient', () => {
  it('is looked up once', async () => {
    const harness = await linked();
    const lookUps = (): number =>
      [...harness.network.wa.transcriptText().matchAll(/→ .*<contact \/>/g)].length;
    for (let sent = 1; sent <= 3; sent += 1) {
      await harness.link.connection().send(aText(harness));
      expect(lookUps()).toBe(1);
    }
  });

  it('is refused with its own code if they are not on WhatsApp', async () => {
    const harness = await linked();
    const message = { ...aText(harness), to: harness.network.people.refused };
    expect(await harness.link.connection().send(message)).toMatchObject({
      kind: 'refused',
      error: { code: 'recipient_not_on_whatsapp' },
    });
    expect(harness.network.wa.sentMessages()).toEqual([]);
  });

  it.runIf(isLongForm)('is refused if it is a group that the number is not in', async () => {
    const harness = await linked();
    const group = harness.network.wa.group({ subject: 'Theirs', members: [harness.network.reader] });
    const message = { ...aText(harness), to: group.jid, isGroup: true };
    expect(await harness.link.connection().send(message)).toMatchObject({
      kind: 'refused',
      error: { code: 'group_unknown' },
    });
  });
});

it.runIf(isLongForm)('the WhatsApp gateway does not fetch the links of a text', async () => {
  const harness = await linked();
  await harness.link.connection().send(aText(harness, 'see https://127.0.0.1:1/secret'));
  expect(harness.network.wa.sentMessages()[0]?.content).toEqual({
    type: 'text',
    text: 'see https://127.0.0.1:1/secret',
  });
});

it.runIf(isLongForm)('the WhatsApp gateway refuses a caption that would not be shown', async () => {
  const harness = await linked();
  const file = {
    mimeType: 'audio/mpeg',
    filename: 'a.mp3',
    size: 1,
    open: () => Promise.reject(new Error('not to be opened')),
  };
  const content = { type: 'audio', caption: 'listen', file } as const;
  expect(await harness.link.connection().send({ ...aText(harness), content })).toMatchObject({
    kind: 'refused',
    error: { code: 'caption_not_supported' },
  });
});

it('the WhatsApp gateway reports that a message was not sent when its file could not be uploaded', async () => {
  const harness = await linked();
  harness.network.wa.failMedia(500, 5);
  const bytes = new Uint8Array(1_000);
  const file = {
    mimeType: 'application/pdf',
    filename: 'a.pdf',
    size: bytes.length,
    open: async () => new Blob([bytes]).stream(),
  };
  const content = { type: 'document', caption: null, file } as const;
  expect(await harness.link.connection().send({ ...aText(harness), content })).toMatchObject({
    kind: 'not_sent',
    retryAfterMs: 15_000,
    error: { code: 'network_busy' },
  });
  expect(harness.network.wa.sentMessages()).toEqual([]);
});

it.runIf(isLongForm)(
  'the WhatsApp gateway sends a message again to a phone that could not read it, after a restart too',
  async () => {
    const harness = await linked({ readsByItself: false });
    const { network, session, link } = harness;
    const message = aText(harness, 'say again?');
    await link.connection().send(message);
    await network.wa.nextMessage({ id: message.networkId });
    await link.connection().close();
    const socket = { waWebSocketUrl: network.wa.client.waWebSocketUrl };
    const restarted = baileysGateway({ socket });
    restarted.attach({ clock: hurriedClock(), random: systemRandom(), logger: silentLogger });
    const again = await openLink(restarted, session);
    await again.first('connected');
    await network.wa.requestRetry(network.account, network.reader, message.networkId);
    const resent = await network.wa.nextMessage({ id: message.networkId });
    expect(resent.content).toEqual({ type: 'text', text: 'say again?' });
    expect(resent.readableBy).toContain(network.reader.phoneNumber);
    await again.connection().close();
  },
);
