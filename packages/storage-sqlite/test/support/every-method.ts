import {
  DELIVERY_STATUSES,
  MESSAGE_DIRECTIONS,
  MESSAGE_STATUSES,
  MESSAGE_TYPES,
  summaryOf,
} from '@trunkline/core/spi/storage';
import type {
  ClaimedEvent,
  DeliveryFilter,
  Endpoint,
  Instance,
  Lease,
  Message,
  MessageFilter,
  PageRequest,
  Storage,
  Workspace,
} from '@trunkline/core/spi/storage';
import { must } from '@trunkline/test-support';
import { editingInPlace, failing, QUEUE_FAILURE } from '@trunkline/storage-contract/fixtures';
import {
  aHistoryEntry,
  aMember,
  aMessage,
  anApiKey,
  anEndpoint,
  anEvent,
  anIdempotencyRecord,
  anInboundMessage,
  anInstance,
  anInstanceNotification,
  testId,
  aNotification,
  aSubscription,
  aWorkspace,
  aDownload,
  anAction,
  anActivity,
  claimAt,
  DAY,
  exhausted,
  failed,
  NOW,
  succeeded,
} from '@trunkline/storage-contract/examples';

/**
 * Calls each method of each store, with every filter, so that each runs all its statements. Returns the names of the
 * methods that were not called.
 */
export async function callEveryMethod(storage: Storage): Promise<readonly string[]> {
  const uncalled = new Set<string>();
  const watched = Object.entries(storage).map(([name, part]: [string, unknown]) => {
    return [name, typeof part === 'object' && part !== null ? watch(name, part, uncalled) : part];
  });
  const every = Object.fromEntries(watched) as Storage; // the same parts under the same names

  const workspace = aWorkspace();
  await every.workspaces.insert(workspace);
  await useWorkspace(every, workspace);
  const endpoint = anEndpoint(workspace);
  await every.endpoints.insert(endpoint, 5);
  await useSubscriptions(every, workspace);
  await useInstances(every, workspace);
  await useErasure(every, workspace);
  await useDeliveries(every, endpoint);
  await every.workload.read({ now: NOW, limit: 10 });
  for (const instanceId of [null, 'ins_none'])
    await every.workload.queues(
      { workspaceId: 'ten_none', instanceId },
      { now: NOW, countUpTo: 1, limit: 1 },
    );
  await useTraffic(every, workspace);
  await every.setting('name', 'value');
  await every.replaceSetting('name', 'other');
  return [...uncalled];
}

async function useTraffic({ traffic }: Storage, workspace: Workspace): Promise<void> {
  for (const kind of ['instance', 'webhook', 'workspace'] as const) {
    await traffic.add([{ kind, id: workspace.id, quarter: NOW, counts: { sent: 1 } }]);
    await traffic.read(workspace.id, { kind, ids: [workspace.id], from: 0, to: NOW });
  }
  await traffic.deleteBefore(NOW, 10);
}

/** Wraps a store so that the first use of a method removes the method's name from `unused`. */
function watch<Store extends object>(name: string, store: Store, unused: Set<string>): Store {
  for (const method of Object.keys(store)) unused.add(`${name}.${method}`);
  return new Proxy(store, {
    get(target, method, receiver) {
      unused.delete(`${name}.${String(method)}`);
      return Reflect.get(target, method, receiver) as unknown;
    },
  });
}

async function useWorkspace({ workspaces, apiKeys }: Storage, workspace: Workspace): Promise<void> {
  await workspaces.find(workspace.id);
  await workspaces.list({ after: workspace.id, limit: 10 });
  await workspaces.update(workspace.id, { name: 'Other' });
  const member = aMember(workspace);
  await workspaces.insertMember(member);
  await workspaces.findMember(workspace.id, member.id);
  await workspaces.listMembers(workspace.id);
  await workspaces.updateMember(workspace.id, member.id, { emailVerified: false });
  const apiKey = anApiKey(workspace, { memberId: member.id });
  await apiKeys.insert(apiKey);
  await apiKeys.findByHash(apiKey.hash);
  await apiKeys.list(workspace.id);
  await apiKeys.touch(apiKey.id, NOW);
  await apiKeys.revoke(workspace.id, apiKey.id, NOW);
  await workspaces.deleteMember(workspace.id, member.id, NOW);
}

const FROM_AN_ENTRY = (['older', 'newer'] as const).map((direction) => ({
  direction,
  id: testId('hst', NOW),
}));

async function useInstances(storage: Storage, workspace: Workspace): Promise<void> {
  const { instances, history, leases, processes, sessions, calls, lookups, groupChanges, groups } = storage;
  const instance = anInstance(workspace);
  await instances.insert(instance, 5, aHistoryEntry(instance));
  for (const from of [null, ...FROM_AN_ENTRY]) {
    await history.list(workspace.id, instance.id, { from, limit: 1 }, 0);
  }
  await instances.find(workspace.id, instance.id);
  await instances.list(workspace.id);
  await instances.countIn([workspace.id]);
  await leases.neededNetworks();
  const [taken] = await leases.claim({
    owner: 'one',
    now: NOW,
    networks: ['sandbox'],
    ttlMs: 1000,
    limit: 10,
  });
  if (!taken) throw new Error('No lease was taken.');
  const { lease } = taken;
  await leases.renew({ owner: 'one', now: NOW, ttlMs: 1000 });
  await processes.register('one', { network: 'sandbox', now: NOW, since: 0 });
  await processes.deregister('one');
  const report = { name: 'one', roles: [], startedAt: NOW, reportedAt: NOW, vitals: null };
  await processes.report(report, { now: NOW, since: 0 });
  await processes.list({ now: NOW, limit: 1 });
  await processes.withdraw('one');
  await processes.releaseEnded?.(NOW);
  await leases.find(instance.id, NOW);
  await instances.touch(lease, NOW);
  await instances.admitNewPerson(lease, { from: NOW, limit: 1 });
  await instances.note(lease, aHistoryEntry(instance));
  await instances.listDown({ before: NOW, latest: NOW, after: null, limit: 1 });
  await sessions.save(lease, new Map([['creds', Uint8Array.of(1)], ['none', null]])); // prettier-ignore
  await sessions.load(instance.id);
  await sessions.read(instance.id, ['creds']);
  await sessions.names(instance.id, { prefix: '', after: null, limit: 1 });
  const replacement = { from: Uint8Array.of(1), to: Uint8Array.of(2) };
  await sessions.replace(instance.id, new Map([['creds', replacement]]));
  await sessions.erase(instance.id, ['none']);
  const call = { id: testId('opr', NOW), instanceId: instance.id, request: '{}', expiresAt: NOW };
  await calls.add(call, { now: NOW, limit: 1 });
  await calls.list([instance.id], NOW, 1);
  await calls.take(call.id);
  await calls.respond(call.id, '{}');
  await calls.findResponse(call.id);
  await calls.remove(call.id);
  await calls.deleteExpired(NOW, 1);
  const asked = { workspaceId: instance.workspaceId, instanceId: instance.id };
  await lookups.begin(asked, { numbers: ['1'], now: NOW, limit: 1 });
  await lookups.finish(instance.id, [{ number: '1', isOnNetwork: true, registeredNumber: null }]);
  await lookups.erase(instance.workspaceId, ['1']);
  await lookups.deleteExpired(NOW, 1);
  const change = { ...asked, id: 'opr_00000000000000000000000001', now: NOW, newPeople: 1 };
  const limits = { changesPerHour: 1, newPeoplePerDay: 1 };
  await groupChanges.begin({ ...change, key: { key: 'a', fingerprint: 'b' } }, limits);
  await groupChanges.finish(change.id, null);
  await groupChanges.finish(change.id, '{}');
  await groupChanges.findByKey(instance.workspaceId, 'a', NOW);
  await groupChanges.deleteExpired(NOW, 1);
  const reports = [{ networkId: 'one', name: 'One', participantsCount: 2 }];
  const save = { lease, workspaceId: workspace.id, groups: reports, now: NOW };
  await groups.save(save);
  await groups.save(save);
  const [group] = await groups.list(workspace.id, instance.id);
  await groups.find(workspace.id, instance.id, group?.id ?? '');
  await groups.findInWorkspace(workspace.id, group?.id ?? '');
  await groups.findByNetworkId(instance.id, 'one');
  await groups.save({ ...save, groups: [{ networkId: 'one', isMember: false }] });
  await useContacts(storage, instance, lease);

  await useMessages(storage, instance, lease);
  await useSchedule(storage, instance, lease);
  await useDownloads(storage, instance, lease);
  await useActivities(storage, instance, lease);
  await useActions(storage, instance, lease);
  await useVotes(storage, instance, lease);
  const written = await instances.write({
    instance,
    event: anEvent(workspace),
    lease,
    failQueued: QUEUE_FAILURE,
    forgetNumber: true,
    entry: aHistoryEntry(instance),
    notification: anInstanceNotification(instance),
  });
  for (const owed of await instances.claimNotifications({ now: NOW, leaseMs: 1000, limit: 1 })) {
    await instances.completeNotification(owed.id);
  }
  await storage.retention.deleteInstanceHistory(NOW, 1);
  if (written.kind !== 'written') throw new Error(`The instance was ${written.kind}.`);
  await instances.delete({ instance: written.instance, lease, failQueued: QUEUE_FAILURE });
  await leases.release(lease, { owner: 'two', until: NOW + 1000 });
}

async function useActivities(
  { activities, messages, spentTokens, uploads }: Storage,
  instance: Instance,
  lease: Lease,
): Promise<void> {
  const workspace = { id: instance.workspaceId };
  const media = { available: true, mimeType: 'image/png', size: 12, filename: 'a.png', sha256: 'ab' };
  const message = anInboundMessage(instance, { type: 'image', media });
  await uploads.reserve(message.id, NOW);
  await messages.receive(lease, { message, senderId: 'them', event: anEvent(workspace) });
  const edited = { ...message, caption: 'edited', editedAt: NOW };
  const deleted = { ...message, caption: null, deletedAt: NOW };
  const edit = { message: edited, expected: message };
  const deletion = { message: deleted, expected: edited };
  await activities.record(lease, anActivity(anEvent(workspace), { key: 'edit', change: edit }));
  await activities.record(lease, anActivity(anEvent(workspace), { key: null, change: deletion }));
  const event = anEvent(workspace);
  await activities.recordEcho(lease, { message: aMessage(instance), event, download: null });
  await activities.deleteKeys(NOW + 1, 10);
  await spentTokens.spend('link', NOW);
  await spentTokens.isSpent('link');
  await spentTokens.deleteExpired(NOW + 1, 10);
}

async function useVotes(
  { activities, contacts, messages, votes }: Storage,
  instance: Instance,
  lease: Lease,
): Promise<void> {
  const { workspaceId } = instance;
  const message = anInboundMessage(instance, { deletedAt: null });
  await messages.receive(lease, { message, senderId: 'them', event: anEvent({ id: workspaceId }) });
  const report = { networkId: 'voter@net', aliases: [], phoneNumber: null, name: null, username: null };
  const contact = await contacts.save({ lease, workspaceId, report, now: NOW });
  if (contact === 'fenced') throw new Error('The lease is lost.');
  const vote = { workspaceId, messageId: message.id, options: ['Monday'] };
  for (const [at, contactId] of [contact.id, contact.id, null].entries()) {
    await activities.record(lease, {
      key: null,
      recordedAt: NOW,
      change: null,
      event: anEvent({ id: workspaceId }),
      vote: {
        vote: { ...vote, id: testId('vot', NOW + at), contactId, votedAt: NOW + at },
        voterIds: [contact.id],
      },
    });
  }
  for (const from of [
    null,
    { direction: 'older', id: testId('vot', NOW + 9) },
    { direction: 'newer', id: testId('vot', NOW) },
  ] as const)
    await votes.list(workspaceId, message.id, { from, limit: 1 });
  await votes.listOfPeople(workspaceId, [contact.id]);
}

async function useActions(
  { actions, erasure, messages }: Storage,
  instance: Instance,
  lease: Lease,
): Promise<void> {
  const { workspaceId } = instance;
  const message = anInboundMessage(instance);
  await messages.receive(lease, { message, senderId: 'them', event: anEvent({ id: workspaceId }) });
  const [first, second] = [anAction(message), anAction(message, { createdAt: NOW + DAY })];
  const idempotency = { key: 'k', fingerprint: 'f' };
  for (const action of [first, second])
    await actions.accept({ action, idempotency, backlogLimit: 10, inPlace: null });
  await actions.findByKey(workspaceId, 'k');
  for (const from of [
    null,
    { direction: 'older', id: second.id },
    { direction: 'newer', id: first.id },
  ] as const)
    await actions.list(workspaceId, message.id, { from, limit: 1 });
  await actions.listOnMessages(workspaceId, [message.id]);
  await messages.queueHeads([instance.id], NOW);
  const sent = { ...first, status: 'sent', sentAt: NOW } as const;
  await actions.finish(lease, { action: sent, events: [], marked: [message.id] });
  const later = aMessage(instance, { sendAt: NOW + DAY });
  for (const queued of [aMessage(instance), aMessage(instance, { createdAt: NOW + 1 }), later]) {
    const limits = { idempotency: null, backlogLimit: 10, trialLimit: null };
    await messages.accept({ message: queued, ...limits, isScheduled: queued.sendAt !== null });
    await actions.accept(editingInPlace(queued));
  }
  for (const unfinished of ['kept', 'deleted'] as const)
    await erasure.deleteMessages(workspaceId, { ids: [message.id], unfinished, limit: 10 });
}

async function useContacts({ contacts }: Storage, instance: Instance, lease: Lease): Promise<void> {
  const { workspaceId } = instance;
  const report = { networkId: 'a', aliases: [], phoneNumber: null, name: null, username: null };
  await contacts.save({ lease, workspaceId, report, now: NOW });
  await contacts.save({ lease, workspaceId, report: { ...report, networkId: 'b' }, now: NOW });
  for (let count = 0; count < 30; count += 1) {
    await contacts.save({
      lease,
      workspaceId,
      report: { ...report, aliases: ['b', `alias ${count}`] },
      now: NOW,
    });
  }
  await contacts.save({ lease, workspaceId, report: { ...report, dialledNumbers: ['15550100'] }, now: NOW });
  await contacts.find(workspaceId, instance.id, 'con_none');
  await contacts.findByNumber(workspaceId, instance.id, '15550100');
}

async function useMessages(storage: Storage, instance: Instance, lease: Lease): Promise<void> {
  const { messages, uploads, retention } = storage;
  const withMedia = aMessage(instance, { type: 'image', media: someMedia });
  await uploads.reserve(withMedia.id, NOW);
  for (const message of [withMedia, aMessage(instance), aMessage(instance), aMessage(instance)]) {
    const idempotency = { key: message.id, fingerprint: 'f', messageId: message.id, createdAt: NOW };
    await messages.accept({ message, idempotency, backlogLimit: 4, trialLimit: 100 });
  }
  await messages.accept({
    message: aMessage(instance),
    idempotency: null,
    backlogLimit: 4,
    trialLimit: null,
  });
  await messages.findIdempotencyRecord(instance.workspaceId, withMedia.id);
  await retention.deleteIdempotencyRecords(NOW + 1, 10);
  await messages.find(instance.workspaceId, withMedia.id);
  await messages.findSender(instance.workspaceId, instance.id, { now: NOW, fresh: true });
  await messages.findOutbound(instance.id, withMedia.networkId);
  const ids = [{ first: withMedia.id, last: withMedia.id }];
  await messages.findOutbound(instance.id, withMedia.networkId, ids);
  await messages.findByNetworkId(instance.id, withMedia.networkId);
  await messages.findQuotable(instance.id, withMedia.id);
  await messages.hasInbound(instance.id, withMedia.networkId, 's1');
  await messages.queueHeads([instance.id], NOW);
  await messages.postpone(lease, { messageId: withMedia.id, tries: 1, dueAt: NOW });
  await messages.postpone(lease, { messageId: withMedia.id, tries: 1, dueAt: NOW, heldSince: NOW });
  await messages.isPaced(instance.id, withMedia.id);
  await messages.releasePaced(instance.id, { people: null, now: NOW });
  await messages.releasePaced(instance.id, { people: { numbers: ['1'], contactIds: ['con_1'] }, now: NOW });
  await messages.queueHeads([instance.id], NOW);
  await messages.change(lease, failing({ ...withMedia, editedAt: NOW }));
  const inbound = aMessage(instance, { direction: 'inbound', status: 'received' });
  await messages.receive(lease, {
    message: inbound,
    senderId: 'a',
    event: anEvent({ id: instance.workspaceId }),
  });

  for (const filter of messageFilters(instance)) {
    for (const page of pagesFrom(inbound.id)) await messages.list(instance.workspaceId, filter, page);
  }
  await useChats(storage, lease, inbound);
  await uploads.reserveUnknown([testId('upl', NOW)], NOW);
  await uploads.listAbandoned(NOW, 10);
  await uploads.listOrphaned(10);
  await uploads.release(withMedia.id);
}

async function useSchedule({ messages, schedule }: Storage, instance: Instance, lease: Lease): Promise<void> {
  const { id: instanceId, workspaceId } = instance;
  const [due, cancelled, unlinked, left] = [NOW, NOW + 1, NOW, NOW + 2].map((sendAt, index) =>
    aMessage(instance, { sendAt, ...(index === 2 && { from: '15550777' }) }),
  );
  for (const message of [due, cancelled, unlinked, left])
    await messages.accept({
      message: must(message),
      idempotency: null,
      backlogLimit: 4,
      trialLimit: null,
      isScheduled: true,
    });
  for (const filter of [{}, { instanceId }])
    for (const page of pagesFrom(must(due).id)) await schedule.list(workspaceId, filter, page);
  await schedule.cancel(failing(must(cancelled)));
  await schedule.release(NOW, QUEUE_FAILURE);
  await schedule.fail(lease, workspaceId, QUEUE_FAILURE);
}

/** Calls the methods before and after two messages are filed, one in a group and one of a contact. */
async function useChats(
  { chats, contacts, groups, messages }: Storage,
  lease: Lease,
  inbound: Message,
): Promise<void> {
  const { id, workspaceId } = inbound;
  const instance = { id: inbound.instanceId };
  await groups.save({
    lease,
    workspaceId,
    groups: [{ networkId: 'chat', name: 'Chat', participantsCount: 2 }],
    now: NOW,
  });
  const group = must((await groups.list(workspaceId, instance.id))[0]);
  const report = { networkId: 'chat', aliases: [], phoneNumber: '15550199', name: null, username: null };
  const contact = await contacts.save({ lease, workspaceId, report, now: NOW });
  if (contact === 'fenced') throw new Error('The lease has ended.');
  for (const facts of [{ groupId: group.id }, { contact: summaryOf(contact) }]) {
    const message = { ...inbound, id: testId('msg', NOW), ...facts };
    const event = anEvent({ id: workspaceId });
    await messages.receive(lease, { message, senderId: message.id, event });
  }
  const counterparts = [
    { kind: 'number', digits: '15550199' },
    { kind: 'contact', contactId: contact.id },
    { kind: 'group', groupId: group.id },
  ] as const;
  for (let round = 1; round <= 2; round += 1) {
    for (const counterpart of counterparts) {
      for (const filter of [{}, { statuses: ['sent'], instanceId: instance.id }] as const) {
        for (const page of pagesFrom(id)) {
          await messages.list(workspaceId, { ...filter, counterpart }, page);
          await messages.list(workspaceId, { ...filter, counterpart, words: ['some', 'words'] }, page);
        }
      }
    }
    for (const page of pagesFrom(id)) await messages.list(workspaceId, { words: ['some', 'words'] }, page);
    for (const page of pagesFrom(id)) await chats.list(workspaceId, instance.id, page);
    await chats.file?.(1000);
  }
}

async function useDownloads(
  { downloads, messages, uploads }: Storage,
  instance: Instance,
  lease: Lease,
): Promise<void> {
  const message = aMessage(instance, { direction: 'inbound', status: 'received', type: 'image' });
  const event = anEvent({ id: instance.workspaceId });
  await messages.receive(lease, { message, senderId: 'a', event, download: aDownload(message) });
  await downloads.listNext([instance.id], 10);
  await downloads.isFull(instance.id, 1);
  await downloads.add(lease, aDownload(message));
  await downloads.postpone(lease, { messageId: message.id, tries: 1, dueAt: NOW });
  await downloads.listExpired(NOW, 10);
  await downloads.list(instance.id, { after: null, limit: 10 });
  const replacement = { from: Uint8Array.of(1), to: Uint8Array.of(2) };
  await downloads.replace(instance.id, new Map([[message.id, replacement]]));
  await uploads.reserve(message.id, NOW);
  const completion = {
    message: { ...message, media: someMedia },
    event: anEvent({ id: instance.workspaceId }),
  };
  if ((await downloads.complete(lease, completion)) !== 'completed')
    throw new Error('The download was not completed.');
  await downloads.remove(instance.id, message.id);
}

/** At this earlier time, everything that is queued would wait too long. */
async function shortenAllWaits(storage: Storage): Promise<void> {
  let after: string | null = null;
  do after = await storage.shortenWaits({ now: NOW - 3_600_000, after, limit: 2, leaseMs: 30_000 });
  while (after !== null);
}

async function useSubscriptions(storage: Storage, workspace: Workspace): Promise<void> {
  const { subscriptions, instances, leases, messages, retention } = storage;
  const { id: subscriptionId, eventTypes } = await subscriptions.register(aSubscription());
  const claim = { subscriptionId, eventTypes, now: NOW, limit: 10, leaseMs: 30_000 };
  await subscriptions.claim(claim);
  const instance = anInstance(workspace);
  await instances.insert(instance, null);
  const [leased] = await leases.claim({
    owner: 'them',
    now: NOW,
    networks: ['sandbox'],
    ttlMs: 1000,
    limit: 1,
  });
  if (!leased) throw new Error('No lease was taken.');
  for (const senderId of ['one', 'two', 'three']) {
    const message = aMessage(instance, { direction: 'inbound', status: 'received' });
    const subject = { instanceId: instance.id, messageId: message.id };
    await messages.receive(leased.lease, {
      message,
      senderId,
      event: anEvent(workspace, NOW, { subject }),
    });
  }
  await useEvents(storage, instance);
  await shortenAllWaits(storage);
  const [handled, spent, again] = (await subscriptions.claim(claim))?.claimed ?? [];
  if (!handled || !spent || !again) throw new Error('Too little was claimed.');
  const keyOf = ({ event, token }: ClaimedEvent) => ({ subscriptionId, eventId: event.id, token });
  await subscriptions.renew([keyOf(handled)], NOW + 60_000);
  await subscriptions.complete([
    { ...keyOf(handled), outcome: { kind: 'handled' } },
    { ...keyOf(spent), outcome: { kind: 'exhausted', attempts: 8, failedAt: NOW - 1 } },
    { ...keyOf(again), outcome: { kind: 'queued', attempts: 1, dueAt: NOW } },
  ]);
  await subscriptions.retryFailedEvents('orders', { limit: 1, countUpTo: 10, now: NOW });
  await subscriptions.list(10);
  await subscriptions.delete('orders');
  await retention.deleteHistory(NOW + 1, 10);
  await instances.delete({ instance, lease: leased.lease, failQueued: QUEUE_FAILURE });
}

async function useEvents({ events }: Storage, { id, workspaceId }: Instance): Promise<void> {
  const { rows } = await events.list(workspaceId, {}, { from: null, limit: 10 }, 0);
  const [newest, , oldest] = rows;
  if (!newest || !oldest) throw new Error('The log has too few events.');
  const filters = [
    {},
    { instanceId: id },
    { instanceId: id, type: newest.type },
    { messageId: 'msg_of_none' },
  ];
  for (const filter of filters) {
    for (const direction of ['older', 'newer'] as const)
      await events.list(workspaceId, filter, { from: { direction, id: newest.id }, limit: 10 }, 0);
  }
  await events.find(workspaceId, newest.id, 0);
  await events.listAfter(workspaceId, oldest.id, 10);
  await events.listIds(workspaceId, { after: oldest.id, upTo: newest.id }, 10);
}

async function useErasure(storage: Storage, workspace: Workspace): Promise<void> {
  const { erasure, instances, leases, messages, uploads, contacts } = storage;
  const instance = anInstance(workspace);
  await instances.insert(instance, 5);
  const taken = await leases.claim({
    owner: 'eraser',
    now: NOW,
    networks: ['sandbox'],
    ttlMs: 1000,
    limit: 10,
  });
  const lease = taken.find((one) => one.lease.instanceId === instance.id)?.lease;
  if (!lease) throw new Error('No lease was taken.');
  const report = { networkId: 'a', aliases: [], phoneNumber: null, name: 'Ada', username: null };
  const contact = await contacts.save({ lease, workspaceId: workspace.id, report, now: NOW });
  if (contact === 'fenced') throw new Error('The lease was lost.');
  const message = anInboundMessage(instance, { contact, type: 'image', media: someMedia });
  await uploads.reserve(message.id, NOW);
  const subject = { instanceId: instance.id, messageId: message.id };
  await messages.receive(lease, {
    message,
    senderId: 'a',
    contact,
    event: anEvent(workspace, NOW, { subject }),
  });
  const queued = aMessage(instance);
  const idempotency = anIdempotencyRecord(queued, { key: 'erased' });
  await messages.accept({ message: queued, idempotency, backlogLimit: 10, trialLimit: null });
  const walk = { after: null, limit: 1 };
  await erasure.listMessages(workspace.id, { ...walk, before: NOW });
  await erasure.listContacts(workspace.id, walk);
  const { rows } = await erasure.listEvents(workspace.id, walk);
  for (const unfinished of ['kept', 'deleted'] as const)
    await erasure.deleteMessages(workspace.id, { ids: [message.id, queued.id], unfinished, limit: 10 });
  await erasure.deleteEvents(
    workspace.id,
    rows.map(({ id }) => id),
  );
  await erasure.deleteContacts(workspace.id, { ids: [contact.id], unlessAfter: queued.id });
}

async function useDeliveries(storage: Storage, endpoint: Endpoint): Promise<void> {
  const { deliveries, endpoints, retention } = storage;
  const { id, workspaceId } = endpoint;
  await deliveries.claim(claimAt(NOW));
  await deliveries.claim(claimAt(NOW + 30_000, { slots: 5 }));
  for (let count = 0; count < 6; count += 1) await deliveries.enqueue(id, anEvent({ id: workspaceId }));
  const now = NOW + 120_000;
  await shortenAllWaits(storage);
  const [done, retrying, spent, ...others] = (await deliveries.claim(claimAt(now, { slots: 5 }))).claimed;
  if (!done || !retrying || !spent) throw new Error('Too little was claimed.');
  await deliveries.complete(
    [succeeded(done, now), failed(retrying, now, { nextRetryAt: now + 1 }), exhausted(spent, now)],
    now,
  );
  await deliveries.findDetail(workspaceId, done.delivery.id, 0);
  await deliveries.retry(workspaceId, retrying.delivery.id, now, 0, 'next');
  await deliveries.retry(workspaceId, spent.delivery.id, now, 0);

  const [stored] = await endpoints.list(workspaceId);
  if (!stored) throw new Error('The endpoint is gone.');
  await endpoints.find(workspaceId, id);
  const { health } = stored;
  await endpoints.write({
    endpoint: stored,
    health,
    notification: aNotification(stored),
    close: 'ENDPOINT_DISABLED',
  });
  await deliveries.retryFailedDeliveries(workspaceId, id, { limit: 2, countUpTo: 10, now, since: 0 });
  await deliveries.listOfEvent(workspaceId, { id: done.delivery.eventId }, 0);
  for (const filter of deliveryFilters) {
    for (const page of pagesFrom(done.delivery.id)) await deliveries.list(workspaceId, id, filter, page, 0);
  }
  await deliveries.sweepClosed(100);
  await deliveries.completeAndClaim(
    others.map((one) => succeeded(one, now)),
    claimAt(now),
  );
  await endpoints.listFailing({ before: now, after: null, limit: 10 });
  await endpoints.claimNotifications({ now, leaseMs: 1000, limit: 10 });
  await endpoints.completeNotification('none');
  await endpoints.delete(workspaceId, id, NOW);
  await deliveries.sweepClosed(100);
  await retention.deleteHistory(now, 100);
}

const someMedia = { available: true, mimeType: 'image/png', size: 1, filename: 'a.png', sha256: '00' };

/** Every combination of the parts of a filter. */
function messageFilters({ id: instanceId }: Instance): readonly MessageFilter[] {
  const [direction] = MESSAGE_DIRECTIONS;
  const [type] = MESSAGE_TYPES;
  const parts: readonly MessageFilter[] = [
    { instanceId },
    { direction },
    { type },
    { statuses: MESSAGE_STATUSES },
  ];
  return combinations(parts);
}

const deliveryFilters: readonly DeliveryFilter[] = [
  { eventType: 'message.received' },
  ...DELIVERY_STATUSES.flatMap((status) =>
    combinations<DeliveryFilter>([{ status }, { eventType: 'message.failed' }]),
  ),
];

function combinations<Part extends object>(parts: readonly Part[]): readonly Part[] {
  const none: readonly Part[] = [Object.assign({})];
  return parts.reduce((some, part) => [...some, ...some.map((one) => ({ ...one, ...part }))], none);
}

function pagesFrom(id: string): readonly PageRequest[] {
  return [
    { from: null, limit: 2 },
    { from: { direction: 'older', id }, limit: 2 },
    { from: { direction: 'newer', id }, limit: 2 },
  ];
}
