import type { OutgoingAction, SendOutcome } from '@trunkline/core/spi/gateway';
import { must } from '@trunkline/test-support';
import { describe, expect } from 'vitest';
import type { ActedOnNetwork, GatewaySubject } from './contract-subject.ts';
import { FILES } from './files.ts';
import { fileContent, linkedFixture, outgoing } from './fixture.ts';
import type { Fixture } from './fixture.ts';
import { itWith } from './optional.ts';
import type { TestLink } from './test-link.ts';

/** Tests actions of the instance on messages. */
export function actingContract(subject: GatewaySubject): void {
  const itReacts = itWith(subject, 'reactions');
  const itEdits = itWith(subject, 'edits');
  const itDeletes = itWith(subject, 'deletions');
  const itMarks = itWith(subject, 'read_marks');
  describe('acting on messages', () => {
    itReacts('reacts to a message of a person, and takes the reaction back', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      const about = await phone.receive({ from: network.people.reader, text: 'Can you come?' });
      const { message } = await link.first('message');
      const [first, second] = [outgoing(network).networkId, outgoing(network).networkId];
      const to = { to: network.people.reader, isGroup: false, contactNetworkId: message.senderId };
      const on = { ...to, about: { networkId: about, senderId: message.senderId } };
      const accepted = { kind: 'accepted' };
      expect(await act(link, { networkId: first, ...on, deed: reaction('👍') })).toEqual(accepted);
      expect(await act(link, { networkId: second, ...on, deed: reaction(null) })).toEqual(accepted);
      expect(acted(phone)).toEqual([
        { networkId: first, about, isOwn: false, deed: reaction('👍') },
        { networkId: second, about, isOwn: false, deed: reaction(null) },
      ]);
    });

    itReacts('reacts to a message of the instance', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      const { networkId: about, ...message } = outgoing(network);
      await link.connection().send({ networkId: about, ...message });
      const { networkId, to } = outgoing(network);
      const action = { networkId, to, isGroup: false, about: { networkId: about, senderId: null } };
      expect(await act(link, { ...action, deed: reaction('🎉') })).toEqual({ kind: 'accepted' });
      expect(acted(phone)).toEqual([{ networkId, about, isOwn: true, deed: reaction('🎉') }]);
    });

    itWith(
      subject,
      'reactions',
      'groups',
    )('reacts to a message of a member of a group', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      const to = await phone.addGroup('Neighbours');
      await link.first('groups', ({ groups }) => groups.some(({ networkId }) => networkId === to));
      const from = network.people.reader;
      const about = await phone.receive({ from, text: 'Barbecue?', groupNetworkId: to });
      const { message } = await link.first('message');
      const { networkId } = outgoing(network);
      const on = { networkId: about, senderId: message.senderId };
      const action = { networkId, to, isGroup: true, about: on, deed: reaction('❤️') };
      expect(await act(link, action)).toEqual({ kind: 'accepted' });
      expect(acted(phone)).toEqual([{ networkId, about, isOwn: false, deed: reaction('❤️') }]);
    });

    itEdits('edits the text of a message of the instance', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      const { networkId: about, ...message } = outgoing(network);
      await link.connection().send({ networkId: about, ...message });
      const { networkId, to } = outgoing(network);
      const deed = { kind: 'edit', type: 'text', text: 'Better words' } as const;
      const action = { networkId, to, isGroup: false, about: { networkId: about, senderId: null }, deed };
      expect(await act(link, action)).toEqual({ kind: 'accepted' });
      expect(acted(phone)).toEqual([{ networkId, about, isOwn: true, deed }]);
    });

    itWith(
      subject,
      'edits',
      'image',
      'document',
    )('edits the caption of a file, and removes it', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      for (const { type, ...file } of FILES) {
        if (type !== 'image' && type !== 'document') continue;
        const text = type === 'image' ? 'A better caption' : '';
        const { networkId: about, to } = outgoing(network);
        const content = fileContent(type, file);
        await link.connection().send({ networkId: about, to, isGroup: false, content });
        const { networkId } = outgoing(network);
        const on = { networkId: about, senderId: null };
        const deed = { kind: 'edit', type, text } as const;
        expect(await act(link, { networkId, to, isGroup: false, about: on, deed })).toEqual({
          kind: 'accepted',
        });
        expect(acted(phone).at(-1)).toEqual({ networkId, about, isOwn: true, deed });
      }
    });

    itDeletes('deletes a message of the instance for everyone', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      const { networkId: about, ...message } = outgoing(network);
      await link.connection().send({ networkId: about, ...message });
      const { networkId, to } = outgoing(network);
      const deed = { kind: 'deletion' } as const;
      const action = { networkId, to, isGroup: false, about: { networkId: about, senderId: null }, deed };
      expect(await act(link, action)).toEqual({ kind: 'accepted' });
      expect(acted(phone)).toEqual([{ networkId, about, isOwn: true, deed }]);
    });

    itMarks('marks a message of a person as read, with earlier ones, and again', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      const from = network.people.reader;
      const ids = [];
      for (const text of ['Hello', 'Are you there?', 'Anybody?'])
        ids.push(await phone.receive({ from, text }));
      const [first, second, third] = ids;
      const received = async (id: string) =>
        (await link.first('message', ({ message }) => message.networkId === id)).message;
      const { networkId } = outgoing(network);
      const { senderId } = await received(must(third));
      const earlier = [{ networkId: must(first), senderId }];
      const about = { networkId: must(second), senderId };
      const chat = { networkId, to: from, isGroup: false, contactNetworkId: senderId };
      const action = { ...chat, about, deed: { kind: 'read_mark', earlier } } as const;
      for (let times = 1; times <= 2; times += 1) {
        expect(await act(link, action)).toEqual({ kind: 'accepted' });
        expect(new Set(read(phone))).toEqual(new Set([first, second]));
      }
    });

    itWith(
      subject,
      'read_marks',
      'groups',
    )('marks messages of a group as read', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      const to = await phone.addGroup('Neighbours');
      await link.first('groups', ({ groups }) => groups.some(({ networkId }) => networkId === to));
      const from = network.people.reader;
      const ids = [];
      for (const text of ['Barbecue?', 'Today?'])
        ids.push(await phone.receive({ from, text, groupNetworkId: to }));
      const [first, second] = ids;
      const { message } = await link.first('message', (one) => one.message.networkId === second);
      const { senderId } = message;
      const earlier = [{ networkId: must(first), senderId }];
      const about = { networkId: must(second), senderId };
      const { networkId } = outgoing(network);
      const action = { networkId, to, isGroup: true, about, deed: { kind: 'read_mark', earlier } } as const;
      expect(await act(link, action)).toEqual({ kind: 'accepted' });
      expect(new Set(read(phone))).toEqual(new Set([first, second]));
    });

    itReacts('repeats an action under the same id', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      const { networkId: about, ...message } = outgoing(network);
      await link.connection().send({ networkId: about, ...message });
      const { networkId, to } = outgoing(network);
      const on = { networkId: about, senderId: null };
      const action = { networkId, to, isGroup: false, about: on, deed: reaction('👍') };
      expect(await act(link, action)).toEqual({ kind: 'accepted' });
      expect(await act(link, action)).toEqual({ kind: 'accepted' });
      expect(acted(phone)).toHaveLength(1);
    });

    itReacts('reports that the network refuses an action', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      const { networkId } = outgoing(network);
      const on = { networkId: outgoing(network).networkId, senderId: null };
      const action = { networkId, to: network.people.refused, isGroup: false, about: on };
      expect(await act(link, { ...action, deed: reaction('👍') })).toEqual({
        kind: 'refused',
        error: { code: expect.stringMatching(/^[a-z_]+$/), message: expect.any(String) },
      });
      expect(acted(phone)).toEqual([]);
    });

    itReacts('does not know the outcome of an action once the connection is closed', async () => {
      const { network, link } = await linkedFixture(subject);
      const connection = link.connection();
      await connection.close();
      const { networkId, to } = outgoing(network);
      const on = { networkId: outgoing(network).networkId, senderId: null };
      const action = { networkId, to, isGroup: false, about: on, deed: reaction('👍') };
      expect(await connection.act?.(action)).toMatchObject({ kind: 'unknown', reason: expect.any(String) });
    });
  });
}

function reaction(emoji: string | null): OutgoingAction['deed'] {
  return { kind: 'reaction', emoji };
}

function act(link: TestLink, action: OutgoingAction): Promise<SendOutcome> {
  const connection = link.connection();
  if (!connection.act)
    throw new Error(
      'The gateway has no "act": give it one, or name "reactions" in "missing" with the reason.',
    );
  return connection.act(action);
}

function acted(phone: Fixture['phone']): readonly ActedOnNetwork[] {
  if (!phone.acted)
    throw new Error(
      'The phone under test has no "acted": give it one, or name "reactions" in "missing" with the reason.',
    );
  return phone.acted();
}

function read(phone: Fixture['phone']): readonly string[] {
  if (!phone.read)
    throw new Error(
      'The phone under test has no "read": give it one, or name "read_marks" in "missing" with the reason.',
    );
  return phone.read();
}
