import { expect, test } from 'vitest';
import { textOf } from './client.ts';
import { firstOf } from './one-of-everything.ts';
import { idOf, startService } from './service.ts';
import { needed, ROUTE_TABLE } from './route-table.ts';

async function strangerAndIds() {
  const service = await startService();
  const { call } = await service.newWorkspace();
  const { call: stranger } = await service.newWorkspace();
  const instance = await service.connected(call);
  const message = idOf(
    (await call('POST', '/messages', { json: { instance, to: '15550100', type: 'text', text: 'hi' } })).json,
  );
  const webhook = idOf(
    (
      await call('POST', '/webhooks', {
        json: { url: 'https://hooks.example.com/', events: ['message.sent'] },
      })
    ).json,
  );
  const delivery = idOf((await call('POST', `/webhooks/${webhook}/test`)).json);
  await service.clock.advance(1_000);
  const events = JSON.parse((await call('GET', `/messages/${message}/events`)).text).data;
  const event = textOf(events[0]?.id);
  const group = firstOf((await call('GET', `/instances/${instance}/groups`)).text);
  await service.during(service.sandbox.phone(instance).receive({ from: '15550123', text: 'Hello' }));
  const [received] = JSON.parse((await call('GET', '/messages?direction=inbound')).text).data;
  const contact = textOf(received.contact.id);
  const ids: Readonly<Record<string, string>> = {
    instance,
    group,
    message,
    webhook,
    delivery,
    event,
    contact,
  };
  return { service, call, stranger, ids };
}

const withId = ROUTE_TABLE.flatMap(({ method, path, route }) => {
  const { parameter: kind, chapter } = route;
  if (kind === undefined) return [];
  const facts = { method, path, kind, notFound: chapter.id?.notFound, content: needed(route) };
  return [[`${method} ${path}`, facts] as const];
});

test.each(withId)(
  "%s treats another workspace's id like one that does not exist",
  async (_, { method, path, kind, notFound, content }) => {
    const { stranger, ids } = await strangerAndIds();
    const target = path.replace(`{${kind}}`, ids[kind] ?? '');
    const request = { ...content, headers: { 'X-Request-Id': 'same' } };
    const theirs = await stranger(method, target, request);
    const nobodys = await stranger(method, path.replace(`{${kind}}`, 'no-such-id'), request);
    expect([theirs.status, theirs.code]).toEqual([404, notFound]);
    expect(nobodys.text).toBe(theirs.text);
  },
);

test("none of that touched the other workspace's resources, and its lists show none of them", async () => {
  const { service, call, stranger, ids } = await strangerAndIds();
  const readable = withId
    // A question to the network about a group reports the group again.
    .filter(([, { method, kind }]) => method === 'GET' && kind !== 'group')
    .map(([, { path, kind }]) => path.replace(`{${kind}}`, ids[kind] ?? ''));
  const before = await Promise.all(readable.map((path) => call('GET', path)));
  for (const [, { method, path, kind, content }] of withId)
    await stranger(method, path.replace(`{${kind}}`, ids[kind] ?? ''), content);
  await service.clock.advance(1_000);
  const after = await Promise.all(readable.map((path) => call('GET', path)));
  expect(after.map(({ text }) => text.replace(/req_\w+/, ''))).toEqual(
    before.map(({ text }) => text.replace(/req_\w+/, '')),
  );
  for (const path of ['/instances', '/messages', '/webhooks']) {
    expect(JSON.parse((await stranger('GET', path)).text).data).toEqual([]);
  }
});

test("another workspace's instance and group cannot be sent from or to", async () => {
  const { service, stranger, ids } = await strangerAndIds();
  const own = await service.connected(stranger);
  const message = { instance: own, to: '15550100', type: 'text', text: 'hi' };
  const fromTheirs = await stranger('POST', '/messages', { json: { ...message, instance: ids.instance } });
  const toTheirs = await stranger('POST', '/messages', { json: { ...message, to: ids['group'] } });
  expect(fromTheirs.code).toBe('INSTANCE_NOT_FOUND');
  expect(toTheirs.code).toBe('GROUP_NOT_FOUND');
  expect((await stranger('GET', `/messages?instance=${ids.instance}`)).code).toBe('INSTANCE_NOT_FOUND');
});
