import { describe, expect, it } from 'vitest';
import type { GroupOutcome, GroupRequest } from '../src/spi/gateway.ts';
import { memoryStorage } from './support/memory-storage.ts';
import { scriptedGateway, silence } from './support/scripted-gateway.ts';
import type { Script, ScriptedGateway } from './support/scripted-gateway.ts';
import {
  after,
  connected,
  connectInstance,
  connectScripted,
  DAY,
  HOUR,
  jumpAhead,
  MINUTE,
  only,
  SECOND,
  startHarness,
} from './support/harness.ts';
import type { Harness } from './support/harness.ts';

const [ADA, BEN] = ['34600000009', '34600000001'];
const TEAM = { networkId: 'team@net', name: 'Team', participantsCount: 3 };

function groupGateway(script: Partial<Script> = {}): ScriptedGateway {
  return { ...scriptedGateway(script), capabilities: ['text', 'groups', 'group_admin'] };
}

interface Managing {
  readonly harness: Harness;
  readonly gateway: ScriptedGateway;
  readonly id: string;
  /** The id of the group that the network reports at first. */
  readonly team: string;
}

async function managing(script: Partial<Script> = {}, storage = memoryStorage()): Promise<Managing> {
  const gateway = groupGateway(script);
  const { harness, id } = await connected({ gateway, storage });
  await gateway.last().listener.groups([TEAM]);
  return { harness, gateway, id, team: await firstGroup(harness, id) };
}

async function firstGroup({ api }: Harness, id: string): Promise<string> {
  const [group] = (await api.instances.groups(id)).data;
  return group?.id ?? '';
}

/** Waits for a request, which the clock has to let through; resolves with its value, or with the code of the refusal. */
async function made<Value>(harness: Harness, request: Promise<Value>): Promise<Value | string> {
  const outcome = request.catch((error: { readonly code: string }) => error.code);
  await harness.clock.advance(2 * SECOND);
  return outcome;
}

const known = async ({ harness, id }: Managing) =>
  (await harness.api.instances.groups(id)).data.map(({ name, participants_count }) => [
    name,
    participants_count,
  ]);

describe('participants of a group', () => {
  it('are changed with an outcome for each that was given, and each person is asked about once', async () => {
    const one = await managing();
    const { harness, gateway, team } = one;
    await gateway.last().listener.message({
      networkId: 'IN1',
      senderId: 'ada@net',
      from: ADA,
      groupNetworkId: null,
      contact: { networkId: 'ada@net', aliases: [], phoneNumber: ADA, name: null, username: null },
      content: { type: 'text', text: 'Hello' },
    });
    const contact = (await harness.api.messages.list()).data[0]?.contact?.id ?? '';
    const outcomes: GroupOutcome = {
      kind: 'done',
      participants: [
        { outcome: 'done' },
        { outcome: 'invitation_needed' },
        { outcome: 'refused', reason: '408' },
      ],
    };
    gateway.script.manageGroup = async () => outcomes;
    const participants = ['+34 600 000 001', contact, ADA, '34600000002'];
    const changed = await made(
      harness,
      harness.api.groups.changeParticipants(team, { change: 'add', participants }),
    );
    expect(changed).toEqual({
      data: [
        { participant: '+34 600 000 001', outcome: 'added', reason: null },
        { participant: contact, outcome: 'invitation_needed', reason: null },
        { participant: ADA, outcome: 'invitation_needed', reason: null },
        { participant: '34600000002', outcome: 'refused', reason: '408' },
      ],
    });
    expect(gateway.askedOfGroups()).toEqual([
      {
        kind: 'change_participants',
        group: 'team@net',
        change: 'add',
        participants: [
          { to: BEN, isGroup: false, contactNetworkId: null },
          { to: ADA, isGroup: false, contactNetworkId: 'ada@net' },
          { to: '34600000002', isGroup: false, contactNetworkId: null },
        ],
      },
    ]);
    expect(await known(one)).toEqual([['Team', 4]]);
  });

  it.each([
    ['add', 'added', 5],
    ['remove', 'removed', 1],
    ['promote', 'promoted', 3],
    ['demote', 'demoted', 3],
  ] as const)('%s: the number of participants is known immediately', async (change, outcome, size) => {
    const one = await managing();
    const participants = [ADA, BEN];
    const { api } = one.harness;
    expect(
      await made(one.harness, api.groups.changeParticipants(one.team, { change, participants })),
    ).toMatchObject({ data: [{ outcome }, { outcome }] });
    expect(await known(one)).toEqual([['Team', size]]);
  });

  it('are refused by their places if they are neither numbers nor known contacts', async () => {
    const { harness, gateway, team } = await managing();
    const participants = [ADA, 'grp_1', 'con_01k9z000000000000000000000', '+34 (0) 600'];
    await expect(
      harness.api.groups.changeParticipants(team, { change: 'add', participants }),
    ).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: {
        fields: { participants: [2, 3, 4].map((at) => expect.stringMatching(`^Entry ${at} must be`)) },
      },
    });
    const many = Array.from({ length: 51 }, (_, index) => String(34_700_000_000 + index));
    const wrong = [undefined, null, ADA, [], [5], [null], many] as unknown as readonly string[][];
    for (const given of wrong)
      await expect(
        harness.api.groups.changeParticipants(team, { change: 'add', participants: given }),
        JSON.stringify(given),
      ).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(gateway.askedOfGroups()).toEqual([]);
  });
});

describe('a group', () => {
  it('is described by the network, with contacts for people whose numbers are hidden', async () => {
    const one = await managing({
      manageGroup: async () => ({
        kind: 'done',
        group: { ...TEAM, name: 'Crew', participantsCount: 2 },
        description: {
          description: 'Fridays',
          members: [
            { contact: reportOf('own@net', '34911222333'), role: 'owner', isSelf: true },
            { contact: reportOf('hidden@net', null), role: 'member', isSelf: false },
          ],
        },
      }),
    });
    const described = await one.harness.api.groups.get(one.team);
    expect(described).toMatchObject({
      id: one.team,
      instance_id: one.id,
      name: 'Crew',
      participants_count: 2,
      description: 'Fridays',
      participants: [
        { phone_number: '34911222333', contact_id: null, role: 'owner', is_self: true },
        { phone_number: null, contact_id: expect.stringMatching(/^con_/), role: 'member', is_self: false },
      ],
    });
    const [, hidden] = described.participants;
    const participants = [hidden?.contact_id ?? ''];
    one.gateway.script.manageGroup = async () => ({ kind: 'done', participants: [{ outcome: 'done' }] });
    await made(
      one.harness,
      one.harness.api.groups.changeParticipants(one.team, { change: 'remove', participants }),
    );
    expect(one.gateway.askedOfGroups().at(-1)).toMatchObject({
      participants: [{ to: '', contactNetworkId: 'hidden@net' }],
    });
    expect(await known(one)).toEqual([['Crew', 1]]);
  });

  it('is renamed and described, and a refusal of the second leaves the first', async () => {
    const one = await managing();
    const { harness, gateway, team } = one;
    const { groups } = harness.api;
    expect(await made(harness, groups.update(team, { name: ' Crew ' }))).toMatchObject({ name: 'Crew' });
    expect(await made(harness, groups.update(team, { description: null }))).toMatchObject({ name: 'Crew' });
    gateway.script.manageGroup = async ({ kind }) =>
      kind === 'rename' ? { kind: 'done' } : { kind: 'refused', reason: 'not_admin' };
    const refused = groups.update(team, { name: 'Gang', description: 'Fridays' });
    expect(await made(harness, refused)).toBe('GROUP_CHANGE_REFUSED');
    await expect(refused).rejects.toMatchObject({ details: { reason: 'not_admin' } });
    expect(await known(one)).toEqual([['Gang', 3]]);
    expect(await made(harness, groups.update(team, {}))).toBe('VALIDATION_FAILED');
    expect(gateway.askedOfGroups().map(({ kind }) => kind)).toEqual([
      'rename',
      'set_description',
      'rename',
      'set_description',
    ]);
  });

  it('has a link, which is replaced, and by which others join', async () => {
    const one = await managing({
      manageGroup: async ({ kind }) =>
        kind === 'join'
          ? { kind: 'done', group: { networkId: 'club@net', name: 'Club', participantsCount: 9 } }
          : { kind: 'done', invite: `https://net.example/${kind}` },
    });
    const { harness, team, id } = one;
    const { groups, instances } = harness.api;
    expect(await groups.invite(team)).toEqual({ link: 'https://net.example/read_invite' });
    expect(await made(harness, groups.revokeInvite(team))).toEqual({
      link: 'https://net.example/revoke_invite',
    });
    expect(await made(harness, instances.joinGroup(id, { invite: 'https://net.example/1' }))).toMatchObject({
      outcome: 'joined',
      group: { name: 'Club' },
    });
    expect(await known(one)).toEqual([
      ['Club', 9],
      ['Team', 3],
    ]);
    one.gateway.script.manageGroup = async () => ({ kind: 'done' });
    expect(await made(harness, instances.joinGroup(id, { invite: '2' }))).toEqual({
      outcome: 'requested',
      group: null,
    });
  });

  it('lets people in who ask for it, or turns them away', async () => {
    const asking = [
      { contact: reportOf('ada@net', ADA), requestedAt: Date.UTC(2026, 0, 1) },
      { contact: reportOf('hidden@net', null), requestedAt: null },
    ];
    const one = await managing({
      manageGroup: async (request) =>
        request.kind === 'list_join_requests'
          ? { kind: 'done', joinRequests: asking }
          : { kind: 'done', participants: [{ outcome: 'done' }, { outcome: 'not_found' }] },
    });
    const { harness, team } = one;
    const { data } = await harness.api.groups.joinRequests(team);
    expect(data).toEqual([
      { phone_number: ADA, contact_id: null, name: null, requested_at: '2026-01-01T00:00:00.000+00:00' },
      { phone_number: null, contact_id: expect.stringMatching(/^con_/), name: null, requested_at: null },
    ]);
    const participants = [ADA, data[1]?.contact_id ?? ''];
    const decide = (decision: 'approve' | 'reject') =>
      made(harness, harness.api.groups.decideJoinRequests(team, { decision, participants }));
    const not = { outcome: 'not_found' };
    expect(await decide('approve')).toMatchObject({ data: [{ outcome: 'approved' }, not] });
    expect(await known(one)).toEqual([['Team', 4]]);
    expect(await decide('reject')).toMatchObject({ data: [{ outcome: 'rejected' }, not] });
    expect(await known(one)).toEqual([['Team', 4]]);
  });

  it('is neither listed nor found once it was left', async () => {
    const one = await managing();
    const { harness, team } = one;
    await made(harness, harness.api.groups.leave(team));
    expect(await known(one)).toEqual([]);
    expect(await made(harness, harness.api.groups.get(team))).toBe('GROUP_NOT_FOUND');
    expect(await made(harness, harness.api.groups.leave(team))).toBe('GROUP_NOT_FOUND');
  });

  it('is of no use to another workspace, and once its instance is disconnected', async () => {
    const { harness, gateway, id, team } = await managing();
    const stranger = await harness.trunkline.admin.workspaces.create({ name: 'Stranger' });
    const theirs = harness.trunkline.workspace(stranger.id);
    expect(await made(harness, theirs.groups.get(team))).toBe('GROUP_NOT_FOUND');
    expect(await made(harness, theirs.instances.joinGroup(id, { invite: '1' }))).toBe('INSTANCE_NOT_FOUND');
    await after(harness, SECOND, harness.api.instances.disconnect(id));
    expect(await made(harness, harness.api.groups.get(team))).toBe('INSTANCE_NOT_CONNECTED');
    expect(await made(harness, harness.api.groups.leave(team))).toBe('INSTANCE_NOT_CONNECTED');
    expect(gateway.askedOfGroups()).toEqual([]);
  });

  it('cannot be changed on a network without the capability', async () => {
    const { harness, id } = await connected({ gateway: scriptedGateway() });
    expect(await made(harness, harness.api.instances.joinGroup(id, { invite: '1' }))).toBe(
      'UNSUPPORTED_MESSAGE_TYPE',
    );
  });
});

describe('a group is created', () => {
  const input = { name: 'Club', participants: [ADA, BEN] };
  const club: GroupOutcome = {
    kind: 'done',
    group: { networkId: 'club@net', name: 'Club', participantsCount: 2 },
    participants: [{ outcome: 'done' }, { outcome: 'invitation_needed' }],
  };

  it('once for its idempotency key, also by the next process', async () => {
    const storage = memoryStorage();
    const { harness, gateway, id } = await managing({ manageGroup: async () => club }, storage);
    const idempotencyKey = 'order-1042';
    const create = ({ api }: Harness, changes: Partial<typeof input> = {}) =>
      made(harness, api.instances.createGroup(id, { ...input, ...changes }, { idempotencyKey }));
    const created = await create(harness);
    expect(created).toEqual({
      group: {
        id: expect.stringMatching(/^grp_/),
        name: 'Club',
        participants_count: 2,
        synced_at: expect.any(String),
        participants: [
          { participant: ADA, outcome: 'added', reason: null },
          { participant: BEN, outcome: 'invitation_needed', reason: null },
        ],
      },
      replayed: false,
    });
    expect(await create(harness)).toEqual({ ...(created as object), replayed: true });
    expect(await create(harness, { name: 'Gang' })).toBe('IDEMPOTENCY_KEY_REUSED');
    await harness.trunkline.stop();
    const second = groupGateway();
    const next = await harness.another({ gateway: second });
    expect(await create({ ...harness, ...next })).toMatchObject({ replayed: true });
    expect([...gateway.askedOfGroups(), ...second.askedOfGroups()]).toHaveLength(1);
    await next.trunkline.stop();
  });

  it('never again if nobody knows whether the network has created it, as after a kill', async () => {
    const storage = memoryStorage();
    const one = await managing({ manageGroup: silence }, storage);
    const { harness, id } = one;
    const options = { idempotencyKey: 'order-1042' };
    const lost = harness.api.instances.createGroup(id, input, options).catch((error) => error.code);
    await harness.clock.advance(SECOND);
    expect(await made(harness, harness.api.instances.createGroup(id, input, options))).toBe(
      'OUTCOME_UNKNOWN',
    );
    await harness.clock.advance(MINUTE);
    expect(await lost).toBe('OUTCOME_UNKNOWN');
    one.gateway.script.manageGroup = async () => club;
    expect(await made(harness, harness.api.instances.createGroup(id, input, options))).toBe(
      'OUTCOME_UNKNOWN',
    );
    expect(one.gateway.askedOfGroups()).toHaveLength(1);
    await jumpAhead(harness, DAY);
    expect(await made(harness, harness.api.instances.createGroup(id, input, options))).toMatchObject({
      replayed: false,
    });
  });

  it('again under the same key after a refusal, or a failure before the network was asked', async () => {
    const one = await managing();
    const outcomes: GroupOutcome[] = [
      { kind: 'refused', reason: 'not_acceptable' },
      { kind: 'not_done', reason: 'The connection had ended' },
      { kind: 'limited', retryAfterMs: 60_000 },
      club,
    ];
    one.gateway.script.manageGroup = async () => outcomes.shift() ?? club;
    const create = () =>
      made(
        one.harness,
        one.harness.api.instances.createGroup(one.id, input, { idempotencyKey: 'order-1042' }),
      );
    expect(await create()).toBe('GROUP_CHANGE_REFUSED');
    expect(await create()).toBe('GATEWAY_ERROR');
    expect(await create()).toBe('RATE_LIMITED');
    expect(await create()).toMatchObject({ replayed: false });
  });

  it('by the process that holds the instance; if that process is killed, the outcome is unknown', async () => {
    const storage = memoryStorage();
    const harness = await startHarness({ roles: only('api'), gateway: groupGateway(), storage });
    const holding = groupGateway({ manageGroup: async () => club });
    await harness.another({ roles: only('gateway'), gateway: holding });
    const id = await connectScripted(harness);
    const options = { idempotencyKey: 'one' };
    const create = (key: string) =>
      harness.api.instances
        .createGroup(id, input, { idempotencyKey: key })
        .catch((error: { readonly code: string }) => error.code);
    expect(await made(harness, harness.api.instances.createGroup(id, input, options))).toMatchObject({
      group: { name: 'Club' },
      replayed: false,
    });
    holding.script.manageGroup = silence;
    const lost = create('two');
    await harness.clock.advance(MINUTE);
    expect(await lost).toBe('OUTCOME_UNKNOWN');
    expect(await made(harness, create('two'))).toBe('OUTCOME_UNKNOWN');
    expect(holding.askedOfGroups()).toHaveLength(2);
  });

  it('only if a process takes the request', async () => {
    const storage = memoryStorage();
    const harness = await startHarness({ roles: only('api'), gateway: groupGateway(), storage });
    const holding = await harness.another({ roles: only('gateway'), gateway: groupGateway() });
    const id = await connectScripted(harness);
    const stopped = holding.trunkline.stop();
    await harness.clock.advance(SECOND);
    await stopped;
    const refused = harness.api.instances.createGroup(id, input).catch((error) => error.code);
    await harness.clock.advance(MINUTE);
    expect(await refused).toBe('GATEWAY_UNAVAILABLE');
  });
});

describe('changes of groups', () => {
  it('are made 30 times an hour, for each instance and over restarts', async () => {
    const storage = memoryStorage();
    const one = await managing({}, storage);
    const { harness, gateway, id, team } = one;
    const rename = ({ api }: Pick<Harness, 'api'>) =>
      made(harness, api.groups.update(team, { name: 'Crew' }));
    for (let count = 0; count < 29; count += 1) expect(await rename(harness)).toMatchObject({ name: 'Crew' });
    gateway.script.manageGroup = () => Promise.reject(new Error('socket hang up'));
    expect(await rename(harness)).toBe('OUTCOME_UNKNOWN');
    await expect(harness.api.groups.update(team, { name: 'Crew' })).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      details: { limit: 30, retry_after: expect.any(Number) },
    });
    const other = await connectScripted(harness);
    expect(await made(harness, harness.api.instances.joinGroup(other, { invite: '1' }))).toBe(
      'OUTCOME_UNKNOWN',
    );
    await harness.trunkline.stop();
    const next = await harness.another({ gateway: groupGateway() });
    await harness.clock.advance(MINUTE);
    expect(await rename(next)).toBe('RATE_LIMITED');
    await jumpAhead(harness, HOUR);
    expect(await rename(next)).toMatchObject({ name: 'Crew' });
    expect(await made(harness, next.api.groups.leave(team))).toBeUndefined();
    expect((await next.api.instances.groups(id)).data).toEqual([]);
    await next.trunkline.stop();
  });

  it('let as many people in a day as the operator allows', async () => {
    const gateway = groupGateway();
    const { harness, id } = await connected({ gateway, groupLimits: { newPeoplePerDay: 3 } });
    await gateway.last().listener.groups([TEAM]);
    const team = await firstGroup(harness, id);
    const add = (...participants: readonly string[]) =>
      made(harness, harness.api.groups.changeParticipants(team, { change: 'add', participants }));
    expect(await add(ADA, BEN)).toMatchObject({ data: [{}, {}] });
    expect(await add('34600000003', '34600000004')).toBe('RATE_LIMITED');
    expect(await add('34600000003')).toMatchObject({ data: [{}] });
    const removed = harness.api.groups.changeParticipants(team, { change: 'remove', participants: [ADA] });
    expect(await made(harness, removed)).toMatchObject({ data: [{ outcome: 'removed' }] });
    await expect(
      harness.api.groups.changeParticipants(team, { change: 'add', participants: [ADA] }),
    ).rejects.toMatchObject({ code: 'RATE_LIMITED', details: { limit: 3 } });
  });

  it('are made one after another, a second apart, and questions do not wait for them', async () => {
    const askedAt: number[] = [];
    const one = await managing({
      async manageGroup({ kind }: GroupRequest) {
        if (kind === 'rename') askedAt.push(one.harness.clock.now());
        return kind === 'read_invite' ? { kind: 'done', invite: '1' } : { kind: 'done' };
      },
    });
    const { harness, team } = one;
    const all = Array.from({ length: 12 }, () => harness.api.groups.update(team, { name: 'Crew' }));
    const ends = Promise.allSettled(all);
    expect(await harness.api.groups.invite(team)).toEqual({ link: '1' });
    await harness.clock.advance(30 * SECOND);
    const refused = (await ends).flatMap((end) => (end.status === 'rejected' ? [end.reason.code] : []));
    expect(refused).toEqual(['RATE_LIMITED', 'RATE_LIMITED']);
    for (const [index, at] of askedAt.slice(1).entries())
      expect(at - (askedAt[index] ?? 0)).toBeGreaterThanOrEqual(SECOND);
  });

  it('leave room for 20 questions a minute', async () => {
    const { harness, team } = await managing({ manageGroup: async () => ({ kind: 'done', invite: '1' }) });
    const ask = () => harness.api.groups.invite(team);
    for (let count = 0; count < 20; count += 1) expect(await ask()).toEqual({ link: '1' });
    await expect(ask()).rejects.toMatchObject({ code: 'RATE_LIMITED', details: { limit: 20 } });
    await harness.clock.advance(3 * SECOND);
    expect(await ask()).toEqual({ link: '1' });
  });
});

describe('on the sandbox', () => {
  it('a group lives through all changes', async () => {
    const harness = await startHarness();
    const id = await connectInstance(harness);
    const { instances, groups } = harness.api;
    const participants = ['15550199', '15550003', '15550006', '15550007'];
    const made = await after(
      harness,
      SECOND,
      instances.createGroup(id, { name: 'Club', participants }).then(({ group }) => group),
    );
    expect(made.participants.map(({ outcome }) => outcome)).toEqual([
      'added',
      'not_found',
      'invitation_needed',
      'refused',
    ]);
    const run = <Value>(request: Promise<Value>): Promise<Value> => after(harness, 2 * SECOND, request);
    await run(groups.update(made.id, { name: 'Clubbers', description: 'Fridays' }));
    await run(groups.changeParticipants(made.id, { change: 'promote', participants: ['15550199'] }));
    expect(await run(groups.get(made.id))).toMatchObject({
      name: 'Clubbers',
      description: 'Fridays',
      participants_count: 2,
      participants: [
        { is_self: true, role: 'owner' },
        { phone_number: '15550199', role: 'admin' },
      ],
    });
    const { link } = await run(groups.invite(made.id));
    const replaced = await run(groups.revokeInvite(made.id));
    expect(replaced).not.toEqual({ link });
    await run(groups.leave(made.id));
    const joining = (invite: string) => run(instances.joinGroup(id, { invite }));
    await expect(joining(link)).rejects.toMatchObject({ details: { reason: 'invite_invalid' } });
    expect(await joining(replaced.link)).toMatchObject({ outcome: 'joined', group: { id: made.id } });
    await expect(run(groups.update(made.id, { name: 'Mine' }))).rejects.toMatchObject({
      details: { reason: 'not_admin' },
    });
  });

  it('people ask to be let in, admins are asked, and a phone without a response leaves the outcome unknown', async () => {
    const harness = await startHarness();
    const id = await connectInstance(harness);
    const { instances, groups } = harness.api;
    const run = <Value>(request: Promise<Value>): Promise<Value> => after(harness, 2 * SECOND, request);
    const phone = harness.sandbox.phone(id);
    const networkId = await phone.addGroup({ name: 'Alley', participantsCount: 2 });
    const alley = await firstGroup(harness, id);
    await phone.askToJoin(networkId, '15550177');
    expect((await run(groups.joinRequests(alley))).data).toMatchObject([{ phone_number: '15550177' }]);
    const participants = ['15550177', '15550178'];
    const decided = await run(groups.decideJoinRequests(alley, { decision: 'approve', participants }));
    expect(decided.data.map(({ outcome }) => outcome)).toEqual(['approved', 'not_found']);
    expect((await run(groups.joinRequests(alley))).data).toEqual([]);
    const invite = await phone.offerGroup({ name: 'Closed', asksAdmin: true });
    expect(await run(instances.joinGroup(id, { invite }))).toEqual({ outcome: 'requested', group: null });
    await expect(
      run(groups.changeParticipants(alley, { change: 'add', participants: ['15550004'] })),
    ).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect((await run(groups.get(alley))).participants.map(({ phone_number }) => phone_number)).toContain(
      '15550004',
    );
  });
});

function reportOf(networkId: string, phoneNumber: string | null) {
  return { networkId, aliases: [], phoneNumber, name: null, username: null };
}
