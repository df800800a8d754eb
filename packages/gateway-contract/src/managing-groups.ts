import type { ChatAddress, GroupAnswer, GroupOutcome, GroupRequest } from '@trunkline/core/spi/gateway';
import { eventually } from '@trunkline/test-support';
import { describe, expect } from 'vitest';
import type { GatewaySubject, TestNetwork } from './contract-subject.ts';
import { linkedFixture } from './fixture.ts';
import { itWith } from './optional.ts';
import type { TestLink } from './test-link.ts';

/** Tests requests about groups. */
export function managingGroupsContract(subject: GatewaySubject): void {
  const itManages = itWith(subject, 'groups', 'group_admin');
  describe('managing groups', () => {
    itManages('creates one, with an outcome for each participant', async () => {
      const { network, link } = await linkedFixture(subject);
      const participants = [person(network.people.refused), person(network.people.reader)];
      const created = await done(link, { kind: 'create', name: 'Club', participants });
      expect(created.participants?.map(({ outcome }) => outcome)).toEqual(['not_found', 'done']);
      expect(created.group).toMatchObject({ name: 'Club', participantsCount: 2 });
      const { group = '' } = { group: created.group?.networkId };
      expect(await rolesIn(link, group)).toEqual({
        own: expect.stringMatching(/^(admin|owner)$/u),
        [network.people.reader]: 'member',
      });
    });

    itManages('changes participants, and says which were so before or are not there', async () => {
      const { network, link, group } = await club(subject);
      const { reader, refused } = network.people;
      const change = async (kind: 'add' | 'remove' | 'promote' | 'demote', number = reader) => {
        const participants = [person(number)];
        const { participants: results } = await done(link, {
          kind: 'change_participants',
          group,
          change: kind,
          participants,
        });
        return results?.map(({ outcome }) => outcome);
      };
      expect(await change('add')).toEqual(['unchanged']);
      expect(await change('promote')).toEqual(['done']);
      expect(await rolesIn(link, group)).toMatchObject({ [reader]: 'admin' });
      expect(await change('demote')).toEqual(['done']);
      expect(await rolesIn(link, group)).toMatchObject({ [reader]: 'member' });
      expect(await change('remove')).toEqual(['done']);
      expect(await change('remove')).toEqual(['not_found']);
      expect(Object.keys(await rolesIn(link, group))).toEqual(['own']);
      expect(await change('add', refused)).toEqual(['not_found']);
      expect(await change('add')).toEqual(['done']);
      expect(await rolesIn(link, group)).toMatchObject({ [reader]: 'member' });
    });

    itManages('renames one, and sets and removes its description', async () => {
      const { link, group } = await club(subject);
      await done(link, { kind: 'rename', group, name: 'Crew' });
      const described = () => done(link, { kind: 'describe', group });
      expect(await described()).toMatchObject({
        group: { networkId: group, name: 'Crew', participantsCount: 2 },
        description: { description: null },
      });
      for (const description of ['Fridays', 'Saturdays 👋'])
        await done(link, { kind: 'set_description', group, description });
      expect(await described()).toMatchObject({ description: { description: 'Saturdays 👋' } });
      await done(link, { kind: 'set_description', group, description: '' });
      expect(await described()).toMatchObject({ description: { description: null } });
    });

    itManages('leaves one, and joins by its link until that is replaced', async () => {
      const { link, group } = await club(subject);
      const { invite = '' } = await done(link, { kind: 'read_invite', group });
      expect((await done(link, { kind: 'read_invite', group })).invite).toBe(invite);
      await done(link, { kind: 'leave', group });
      expect(await manage(link, { kind: 'describe', group })).toEqual({
        kind: 'refused',
        reason: 'not_member',
      });
      expect((await done(link, { kind: 'join', invite })).group?.networkId).toBe(group);
      expect(await manage(link, { kind: 'rename', group, name: 'Mine' })).toEqual({
        kind: 'refused',
        reason: 'not_admin',
      });
      expect(await manage(link, { kind: 'join', invite: `${invite}x` })).toEqual({
        kind: 'refused',
        reason: 'invite_invalid',
      });
    });

    itManages('replaces its link', async () => {
      const { link, group } = await club(subject);
      const { invite = '' } = await done(link, { kind: 'read_invite', group });
      const { invite: replaced } = await done(link, { kind: 'revoke_invite', group });
      expect(replaced).not.toBe(invite);
      expect(await manage(link, { kind: 'join', invite })).toEqual({
        kind: 'refused',
        reason: 'invite_invalid',
      });
    });

    itWith(
      subject,
      'groups',
      'group_admin',
      'join_requests',
    )('lists people who ask to be let in, and lets them in or turns them away', async () => {
      const { network, link, phone, group } = await club(subject);
      const { reader } = network.people;
      const participants = [person(reader)];
      await done(link, { kind: 'change_participants', group, change: 'remove', participants });
      const decide = (decision: 'approve' | 'reject') =>
        done(link, { kind: 'decide_join_requests', group, decision, participants });
      for (const decision of ['reject', 'approve'] as const) {
        await phone.askToJoin?.(group, reader);
        const listed = () => done(link, { kind: 'list_join_requests', group });
        await eventually(async () =>
          expect((await listed()).joinRequests?.map(({ contact }) => contact.phoneNumber)).toEqual([reader]),
        );
        expect((await decide(decision)).participants).toMatchObject([{ outcome: 'done' }]);
        expect((await listed()).joinRequests).toEqual([]);
      }
      expect((await decide('approve')).participants).toMatchObject([{ outcome: 'not_found' }]);
      expect(await rolesIn(link, group)).toMatchObject({ [reader]: 'member' });
    });
  });
}

/** A group of the number with one other member. */
async function club(subject: GatewaySubject) {
  const { network, link, phone } = await linkedFixture(subject);
  const participants = [person(network.people.reader)];
  const { group } = await done(link, { kind: 'create', name: 'Club', participants });
  return { network, link, phone, group: group?.networkId ?? '' };
}

function person(number: TestNetwork['people']['reader']): ChatAddress {
  return { to: number, isGroup: false };
}

async function manage(link: TestLink, request: GroupRequest): Promise<GroupOutcome> {
  const { manageGroup } = link.connection();
  if (!manageGroup)
    throw new Error('The connection has no method `manageGroup`, which its capabilities require.');
  return manageGroup(request);
}

async function done(link: TestLink, request: GroupRequest): Promise<GroupAnswer> {
  const outcome = await manage(link, request);
  expect(outcome).toMatchObject({ kind: 'done' });
  return outcome.kind === 'done' ? outcome : {};
}

/** The roles of the members by their numbers; `own` is the number itself. */
async function rolesIn(link: TestLink, group: string): Promise<Readonly<Record<string, string>>> {
  const { description } = await done(link, { kind: 'describe', group });
  return Object.fromEntries(
    (description?.members ?? []).map(({ contact, role, isSelf }) => [
      isSelf ? 'own' : (contact.phoneNumber ?? contact.networkId),
      role,
    ]),
  );
}
