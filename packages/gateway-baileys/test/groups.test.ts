import type { FakeWhatsApp, Person } from '@trunkline/fake-whatsapp';
import type { Report } from '@trunkline/gateway-contract';
import { eventually } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { expect, it } from 'vitest';
import { hurriedClock, linked } from './support/linked.ts';

type GroupsReport = Extract<Report, { kind: 'groups' }>;

/** The client's queries about groups: each one's tag, with the tags of the details requested. */
function groupQueries(wa: FakeWhatsApp): readonly string[] {
  return wa.transcript().flatMap(({ direction, node }) => {
    if (direction !== 'received' || node.tag !== 'iq' || node.attrs['xmlns'] !== 'w:g2') return [];
    const [child] = Array.isArray(node.content) ? node.content : [];
    const details = Array.isArray(child?.content) ? child.content : [];
    return [[child?.tag ?? '', ...details.map(({ tag }) => tag)].join('/')];
  });
}

function appStateQueries(wa: FakeWhatsApp): readonly string[] {
  return wa.transcript().flatMap(({ direction, node }) => {
    if (direction !== 'received' || node.attrs['xmlns'] !== 'w:sync:app:state') return [];
    const [sync] = Array.isArray(node.content) ? node.content : [];
    return Array.isArray(sync?.content) ? sync.content.map(({ attrs }) => attrs['name'] ?? '') : [];
  });
}

function people(wa: FakeWhatsApp, count: number): readonly Person[] {
  return Array.from({ length: count }, (_, i) => wa.person(String(5511960000000 + i)));
}

const reports =
  (networkId: string, participantsCount?: number) =>
  ({ groups }: GroupsReport): boolean =>
    groups.some(
      (group) =>
        group.networkId === networkId &&
        (participantsCount === undefined || group.participantsCount === participantsCount),
    );

it('the WhatsApp gateway stores nothing of the members of a group until one of them writes', async () => {
  const { network, session, link } = await linked({ readsByItself: false });
  const { wa, account } = network;
  const members = people(wa, 50);
  const group = wa.group({ subject: 'Big', members });
  wa.addToGroup(group, account);
  expect(await link.first('groups', reports(group.jid, 51))).toBeDefined();
  const pairs = (): readonly string[] =>
    [...session.values.keys()].filter((name) => name.startsWith('key.lid-mapping.5511960'));
  expect(pairs()).toEqual([]);

  const [writer] = members;
  if (!writer) throw new Error('The group has no members.');
  await wa.inbound(writer, account, 'hello', { group });
  const { message } = await link.first('message');
  expect(message).toMatchObject({ from: writer.phoneNumber, groupNetworkId: group.jid });
  await eventually(() => expect(pairs()).toEqual([`key.lid-mapping.${writer.phoneNumber}`]));
});

it('the WhatsApp gateway asks for its groups without their members, and for those of one when it is written to', async () => {
  const { network, link, open } = await linked();
  const { wa, account, reader } = network;
  const group = wa.group({ subject: 'Friends', members: [reader] });
  wa.addToGroup(group, account);
  await link.first('groups', reports(group.jid));
  await link.connection().close();
  const before = groupQueries(wa).length;
  const again = await open();
  await again.first('groups', reports(group.jid, 2));
  expect(groupQueries(wa).slice(before)).toEqual(['participating']);

  const content = { type: 'text', text: 'hello' } as const;
  for (const networkId of ['3EB0AAAAAAAAAAAAAAAA01', '3EB0AAAAAAAAAAAAAAAA02']) {
    const sent = { networkId, to: group.jid, isGroup: true, content };
    expect(await again.connection().send(sent)).toEqual({ kind: 'accepted' });
  }
  expect(groupQueries(wa).slice(before)).toEqual(['participating', 'query']);
});

it('the WhatsApp gateway reads a group that twenty people join one after the other only once or twice', async () => {
  const { network, link } = await linked();
  const { wa, account, reader } = network;
  const group = wa.group({ subject: 'Popular', members: [reader] });
  wa.addToGroup(group, account);
  await link.first('groups', reports(group.jid));
  const before = groupQueries(wa).length;
  for (const person of people(wa, 20)) wa.addToGroup(group, person);
  await link.first('groups', reports(group.jid, 22));
  expect(groupQueries(wa).length - before).toBeLessThanOrEqual(2);
});

it.runIf(isLongForm)(
  'the WhatsApp gateway asks for its groups again where the network refused to name them for now',
  async () => {
    const { network, link, open } = await linked({ clock: hurriedClock() });
    const { wa, account, reader } = network;
    const group = wa.group({ subject: 'Friends', members: [reader] });
    wa.addToGroup(group, account);
    await link.first('groups', reports(group.jid));
    await link.connection().close();
    wa.refuseQueries('w:g2/get/participating', 429, 2);
    const again = await open();
    const all = await again.first('groups', ({ full }) => full);
    expect(all.groups.map(({ networkId }) => networkId)).toContain(group.jid);
    expect(groupQueries(wa).slice(-3)).toEqual(['participating', 'participating', 'participating']);
  },
);

it.runIf(isLongForm)(
  'the WhatsApp gateway reads a group again where the network refused to describe it for now',
  async () => {
    const { network, link } = await linked({ clock: hurriedClock() });
    const { wa, account, reader } = network;
    const group = wa.group({ subject: 'Friends', members: [reader] });
    wa.addToGroup(group, account);
    await link.first('groups', reports(group.jid));
    wa.refuseQueries('w:g2/get/query', 429, 2);
    wa.renameGroup(group, 'Family');
    const isRenamed = ({ groups }: GroupsReport): boolean => groups.some(({ name }) => name === 'Family');
    expect(await link.first('groups', isRenamed)).toBeDefined();
  },
);

it.runIf(isLongForm)(
  'the WhatsApp gateway reads the name of a group that the list leaves out, and reports no empty one',
  async () => {
    const { network, link, open } = await linked();
    const { wa, account, reader } = network;
    const named = wa.group({ subject: 'Friends', members: [reader, account] });
    const unnamed = wa.group({ subject: 'Family', members: [reader, account] });
    wa.listWithoutName(unnamed);
    await link.connection().close();
    const again = await open();
    const listed = await again.first('groups', ({ full }) => full);
    const reportsOf = ({ groups }: GroupsReport, { jid }: { readonly jid: string }) =>
      groups.filter(({ networkId }) => networkId === jid);
    expect(reportsOf(listed, named)).toEqual([
      { networkId: named.jid, name: 'Friends', participantsCount: 2 },
    ]);
    expect(reportsOf(listed, unnamed)).toEqual([{ networkId: unnamed.jid, participantsCount: 2 }]);
    const isRead = (report: GroupsReport): boolean => reportsOf(report, unnamed)[0]?.name !== undefined;
    const read = await again.first('groups', isRead);
    expect(read.groups).toEqual([{ networkId: unnamed.jid, name: 'Family', participantsCount: 2 }]);
  },
);

it.runIf(isLongForm)(
  'the WhatsApp gateway reads its groups once when the network says that they have changed meanwhile',
  async () => {
    const { network, link } = await linked();
    const { wa, account, reader } = network;
    const group = wa.group({ subject: 'Friends', members: [reader, account] });
    const [before, from] = [groupQueries(wa).length, link.reports.length];
    const dirty = { tag: 'dirty', attrs: { type: 'groups', timestamp: '1' } };
    wa.deliverStanza(account, { tag: 'ib', attrs: { from: 's.whatsapp.net' }, content: [dirty] });
    await link.first('groups', reports(group.jid), from);
    expect(groupQueries(wa).slice(before)).toEqual(['participating']);
  },
);

it("the WhatsApp gateway reads the account's own name, and neither its address book nor its chats", async () => {
  const { network } = await linked();
  const { wa, account } = network;
  const collections = ['critical_unblock_low', 'regular', 'regular_high', 'critical_block'];
  for (const [index, name] of collections.entries()) {
    const attrs = { id: `sync-${index}`, type: 'server_sync', from: account.jid, t: '1' };
    const content = [{ tag: 'collection', attrs: { name, version: '1' } }];
    wa.deliverStanza(account, { tag: 'notification', attrs, content });
  }
  await eventually(() => expect(appStateQueries(wa)).toContain('critical_block'));
  expect(appStateQueries(wa)).toEqual(['critical_block']);
});
