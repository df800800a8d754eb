import type { TranscriptEntry } from '@trunkline/fake-whatsapp';
import type { GroupRequest } from '@trunkline/core/spi/gateway';
import { expect, it } from 'vitest';
import { linked } from './support/linked.ts';
import type { Linked } from './support/linked.ts';

/** The queries about groups that the client has made, by the tag of their content. */
function queriesOf({ network }: Linked): readonly TranscriptEntry['node'][] {
  return network.wa
    .transcript()
    .filter(({ direction, node }) => direction === 'received' && node.attrs['xmlns'] === 'w:g2')
    .map(({ node }) => node);
}

const ask = ({ link }: Linked, request: GroupRequest) => link.connection().manageGroup?.(request);
const person = (to: string) => ({ to, isGroup: false });

it('people whose numbers are hidden are added by their hidden ids, with their numbers if these are known', async () => {
  const one = await linked();
  const { wa, account } = one.network;
  const hidden = wa.person('551177770002', { hidesNumber: true });
  const group = wa.group({ subject: 'Team', members: [account] });
  const contactNetworkId = hidden.lidJid;
  const participants = [{ to: '', isGroup: false, contactNetworkId }];
  const change = { kind: 'change_participants', group: group.jid, participants } as const;
  expect(await ask(one, { ...change, change: 'add' })).toMatchObject({ participants: [{ outcome: 'done' }] });
  expect(await ask(one, { ...change, change: 'add' })).toMatchObject({
    participants: [{ outcome: 'unchanged' }],
  });
  expect(await ask(one, { kind: 'describe', group: group.jid })).toMatchObject({
    description: {
      members: [
        { isSelf: true, role: 'owner' },
        { contact: { networkId: hidden.lidJid, phoneNumber: null }, isSelf: false, role: 'member' },
      ],
    },
  });
  expect(await ask(one, { ...change, change: 'remove' })).toMatchObject({
    participants: [{ outcome: 'done' }],
  });
});

it('a number that is not on WhatsApp is not sent to it, and nobody else is asked about twice', async () => {
  const one = await linked();
  const { wa, account } = one.network;
  const group = wa.group({ subject: 'Team', members: [account] });
  const before = queriesOf(one).length;
  const change = { kind: 'change_participants', change: 'add', group: group.jid } as const;
  expect(await ask(one, { ...change, participants: [person('15550000')] })).toEqual({
    kind: 'done',
    participants: [{ outcome: 'not_found' }],
  });
  expect(queriesOf(one)).toHaveLength(before);
});

it('joining a group whose admins have to agree is a request, and joining again changes nothing', async () => {
  const one = await linked();
  const { wa, account, reader } = one.network;
  const group = wa.group({ subject: 'Team', members: [account, reader] });
  const invited = await ask(one, { kind: 'read_invite', group: group.jid });
  const invite = invited?.kind === 'done' ? (invited.invite ?? '') : '';
  expect(invite).toMatch(/^https:\/\/chat\.whatsapp\.com\/\w+$/);
  const joined = { kind: 'done', group: { networkId: group.jid, name: 'Team', participantsCount: 2 } };
  expect(await ask(one, { kind: 'join', invite: `${invite}?mode=ac_t` })).toEqual(joined);
  await ask(one, { kind: 'leave', group: group.jid });
  expect(await ask(one, { kind: 'join', invite })).toMatchObject(joined);
  await ask(one, { kind: 'leave', group: group.jid });
  wa.askAdminsOf(group);
  expect(await ask(one, { kind: 'join', invite: invite.split('/').at(-1) ?? '' })).toEqual({ kind: 'done' });
});
