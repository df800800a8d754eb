import type { ErrorCode } from '@trunkline/core';
import type { GroupOutcome } from '@trunkline/core/spi/gateway';
import { REFUSED } from '@trunkline/core/testing';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { must, stayingOpen } from '@trunkline/test-support';
import { ROUTES } from '../src/routes/all-routes.ts';
import type { RefusedRequest, Route } from '../src/routes/route.ts';
import type { Call, Seen } from './client.ts';
import { firstOf, oneOfEverything } from './one-of-everything.ts';
import type { Harness } from './one-of-everything.ts';
import { exampleOf, needed, somePath } from './route-table.ts';
import { idOf, startService } from './service.ts';

type Act = (harness: Harness) => Promise<Seen>;

/** Requests that succeed only after other requests. */
const SUCCESSES: Readonly<Record<string, Act>> = {
  'GET /instances/{instance}/qr': async ({ service, call }) => {
    const fresh = idOf((await call('POST', '/instances')).json);
    await service.during(call('POST', `/instances/${fresh}/connect`));
    return call('GET', `/instances/${fresh}/qr`);
  },
  'GET /instances/{instance}/passkey': async (harness) => {
    const { id } = await askedForPasskey(harness);
    return harness.call('GET', `/instances/${id}/passkey`);
  },
  'POST /instances/{instance}/passkey': async (harness) => {
    const { answer } = await askedForPasskey(harness);
    return harness.service.during(answer());
  },
  'POST /instances/{instance}/passkey/confirm': async (harness) => {
    const { confirm } = await askedForCode(harness);
    return harness.service.during(confirm());
  },
  'POST /instances/{instance}/typing': ({ service, call, at }) =>
    service.during(call('POST', at(TYPING), { json: WITH_TYPING })),
  'POST /instances/{instance}/lookup': ({ service, call, at }) =>
    service.during(call('POST', at(LOOKUP), { json: WITH_NUMBERS })),
  'PUT /contacts/{contact}/block': ({ service, call, at }) => service.during(call('PUT', at(BLOCK))),
  'DELETE /contacts/{contact}/block': ({ service, call, at }) => service.during(call('DELETE', at(BLOCK))),
  // The name, and then the description.
  'PATCH /groups/{group}': ({ service, call, at }) =>
    service.during(
      call('PATCH', at('/groups/{group}'), { json: { name: 'Crew', description: 'Fridays' } }),
      3_000,
    ),
  'POST /instances/{instance}/groups/join': ({ service, call, at, answerGroups }) => {
    answerGroups(JOINED);
    return service.during(
      call('POST', at('/instances/{instance}/groups/join'), { json: { invite: 'club' } }),
    );
  },
  'DELETE /messages/{message}': async ({ call, send }) => {
    const scheduled = idOf((await send({ send_at: '2026-01-02T00:00:00Z' })).json);
    return call('DELETE', `/messages/${scheduled}`);
  },
  'PATCH /messages/{message}': ({ call, at }) => call('PATCH', at(EDIT), WITH_CAPTION),
  'POST /messages/{message}/read': async (harness) =>
    harness.call('POST', `/messages/${await received(harness)}/read`),
  'POST /webhook-deliveries/{delivery}/retry': async (harness) => {
    const delivery = await failedDelivery(harness);
    return harness.call('POST', `/webhook-deliveries/${delivery}/retry`);
  },
  'POST /webhook-deliveries/{delivery}/try-now': async (harness) => {
    const { service, call, ids } = harness;
    service.receivers.respond(() => REFUSED);
    const delivery = idOf((await call('POST', `/webhooks/${ids.webhook}/test`)).json);
    await service.clock.settle();
    return call('POST', `/webhook-deliveries/${delivery}/try-now`);
  },
};

/** Returns a request that succeeds, for any route. */
export function success(route: Route): Act {
  const { method, path } = route;
  return (
    SUCCESSES[`${method} ${path}`] ??
    (({ service, call, at, ids }) => service.during(call(method, at(path), needed(route, ids))))
  );
}

interface Asked {
  readonly id: string;
  readonly answer: () => Promise<Seen>;
  readonly confirm: () => Promise<Seen>;
}

/** An instance whose network waits for the passkey of its account. */
async function askedForPasskey({ service, call }: Harness, then?: 'then_code'): Promise<Asked> {
  const id = idOf((await call('POST', '/instances')).json);
  await service.during(call('POST', `/instances/${id}/connect`));
  const phone = service.sandbox.phone(id);
  await service.during(phone.scan({ passkey: then ?? true }));
  const json = await phone.signPasskey();
  return {
    id,
    answer: () => call('POST', `/instances/${id}/passkey`, { json }),
    confirm: () => call('POST', `/instances/${id}/passkey/confirm`),
  };
}

async function askedForCode(harness: Harness): Promise<Asked> {
  const asked = await askedForPasskey(harness, 'then_code');
  await harness.service.during(asked.answer());
  return asked;
}

async function failedDelivery({ service, call, ids }: Harness): Promise<string> {
  service.receivers.respond(() => REFUSED);
  const delivery = idOf((await call('POST', `/webhooks/${ids.webhook}/test`)).json);
  await call('PATCH', `/webhooks/${ids.webhook}`, { json: { status: 'disabled' } });
  await call('PATCH', `/webhooks/${ids.webhook}`, { json: { status: 'enabled' } });
  return delivery;
}

/** Codes in `ROUTE_TABLE` that a route cannot respond with in this service, each with the reason. */
export const NEVER: Readonly<Record<string, string>> = {
  'POST /instances/{instance}/connect INVALID_INSTANCE_STATE': 'every status can be connected',
  'POST /instances/{instance}/connect GATEWAY_ERROR':
    'the response to a connect does not wait for the network',
  'POST /instances/{instance}/connect GATEWAY_UNAVAILABLE':
    'this process has the network of every instance (core/test/gateways.test.ts)',
  'PATCH /instances/{instance} GATEWAY_UNAVAILABLE':
    'this process has the network of every instance (core/test/gateways.test.ts)',
  'POST /messages GATEWAY_UNAVAILABLE':
    'this process has the network of every instance (core/test/gateways.test.ts)',
  'POST /instances/{instance}/disconnect INVALID_INSTANCE_STATE': 'every status can be disconnected',
  'PUT /messages/{message}/reaction GATEWAY_UNAVAILABLE':
    'this process has the network of every instance (core/test/gateways.test.ts)',
  'DELETE /messages/{message}/reaction GATEWAY_UNAVAILABLE':
    'this process has the network of every instance (core/test/gateways.test.ts)',
  'PATCH /messages/{message} GATEWAY_UNAVAILABLE':
    'this process has the network of every instance (core/test/gateways.test.ts)',
  'DELETE /messages/{message} GATEWAY_UNAVAILABLE':
    'this process has the network of every instance (core/test/gateways.test.ts)',
  'POST /messages/{message}/read GATEWAY_UNAVAILABLE':
    'this process has the network of every instance (core/test/gateways.test.ts)',
  'PUT /contacts/{contact}/block GATEWAY_UNAVAILABLE':
    'this process holds the instance (core/test/typing.test.ts)',
  'DELETE /contacts/{contact}/block GATEWAY_UNAVAILABLE':
    'this process holds the instance (core/test/typing.test.ts)',
};

const UNKNOWN: Act = async () => {
  throw new Error(
    'No test knows how to get this code: show a request in `refuses` of the route, or add a row to provoked-errors.ts.',
  );
};

/** The request that provokes an error code of a route. */
export function provocation(route: Route, code: ErrorCode): Act {
  const { method, path, chapter, refuses } = route;
  const shown = refuses?.[code];
  if (shown !== undefined) return refused(route, shown);
  const nobodys: Act = ({ call, ids }) => call(method, somePath(path), needed(route, ids));
  const ofId = route.parameter !== undefined && code === chapter.id?.notFound ? nobodys : undefined;
  return OF_ONE_ROW[`${method} ${path} ${code}`] ?? ofId ?? ofAnyRow(route)[code] ?? UNKNOWN;
}

/** Codes that a request gets before it changes anything, without preparation. */
const AT_THE_DOOR: readonly ErrorCode[] = ['UNAUTHENTICATED', 'INVALID_API_KEY', 'WORKSPACE_MISMATCH'];

/** Whether the provocation changes nothing, so that it can share a service with others. */
export function changesNothing({ method, path, chapter, refuses }: Route, code: ErrorCode): boolean {
  if (refuses?.[code] !== undefined || AT_THE_DOOR.includes(code)) return true;
  return OF_ONE_ROW[`${method} ${path} ${code}`] === undefined && code === chapter.id?.notFound;
}

function refused({ method, path, body }: Route, { query, headers = {}, body: wrong }: RefusedRequest): Act {
  const target = query === undefined ? path : `${path}?${query}`;
  return ({ call, at, ids }) =>
    call(method, at(target), { headers, ...(body && { json: { ...exampleOf(body, ids), ...wrong } }) });
}

function ofAnyRow({ method, path }: Route): Partial<Readonly<Record<ErrorCode, Act>>> {
  return {
    UNAUTHENTICATED: ({ call, at }) => call(method, at(path), { headers: { Authorization: '' } }),
    INVALID_API_KEY: ({ call, at }) => call(method, at(path), { headers: { Authorization: 'Bearer x' } }),
    WORKSPACE_MISMATCH: ({ call, at }) => call(method, at(path), { headers: { 'X-Workspace-Id': 'x' } }),
    INVALID_MEDIA_TYPE: ({ call, at }) =>
      call(method, at(path), { json: {}, headers: { 'Content-Encoding': 'gzip' } }),
    WORKSPACE_SUSPENDED: async ({ service, workspaceId, call, at }) => {
      await service.trunkline.admin.workspaces.suspend(workspaceId);
      return call(method, at(path));
    },
    WEBHOOK_DISABLED: async ({ call, at }) => {
      await call('PATCH', at('/webhooks/{webhook}'), { json: { status: 'disabled' } });
      return call(method, at(path));
    },
    INSTANCE_BUSY: async ({ service, call, at, cutOff }) => {
      cutOff(true);
      // Another operation, because the same operation would join the first.
      const other = path.endsWith('/disconnect') ? 'logout' : 'disconnect';
      const first = call('POST', at(`/instances/{instance}/${other}`));
      await service.clock.settle();
      const seen = await call(method, at(path));
      cutOff(false);
      await service.during(first);
      return seen;
    },
    GATEWAY_ERROR: async ({ service, call, at, cutOff }) => {
      cutOff(true);
      const seen = await service.during(call(method, at(path)), 20_000);
      cutOff(false);
      return seen;
    },
    GATEWAY_UNAVAILABLE: async () => {
      const { service, call, at } = await withoutGateway();
      return service.during(call(method, at(path)), 20_000);
    },
  };
}

/** A paired instance in a process without a gateway, after the process with the gateway has stopped. */
async function withoutGateway(): Promise<Pick<Harness, 'service' | 'call' | 'at'>> {
  const storage = stayingOpen(sqliteStorage({ path: ':memory:' }));
  const { service: first, workspaceId, at } = await oneOfEverything({ storage });
  await first.during(first.trunkline.stop());
  const service = await startService({ storage, roles: { gateway: false } });
  return { service, call: await service.newKey(workspaceId), at };
}

/** The errors of the answer to a step of a passkey. */
function passkeyErrors(
  path: string,
  ask: (harness: Harness) => Promise<Asked>,
  give: keyof Asked & ('answer' | 'confirm'),
): Readonly<Record<string, Act>> {
  const name = `POST ${path}`;
  return {
    [`${name} INSTANCE_BUSY`]: async (harness) => {
      const { service, call, cutOff } = harness;
      const asked = await ask(harness);
      cutOff(true);
      const first = call('POST', `/instances/${asked.id}/disconnect`);
      await service.clock.settle();
      const seen = await asked[give]();
      cutOff(false);
      await service.during(first);
      return seen;
    },
    [`${name} GATEWAY_ERROR`]: async (harness) => {
      const asked = await ask(harness);
      harness.cutOff(true);
      const seen = await harness.service.during(asked[give](), 20_000);
      harness.cutOff(false);
      return seen;
    },
    [`${name} GATEWAY_UNAVAILABLE`]: async () => {
      const storage = stayingOpen(sqliteStorage({ path: ':memory:' }));
      const first = await oneOfEverything({ storage });
      const { id } = await ask(first);
      const json = give === 'answer' ? await first.service.sandbox.phone(id).signPasskey() : undefined;
      await first.service.during(first.service.trunkline.stop());
      const service = await startService({ storage, roles: { gateway: false } });
      const call = await service.newKey(first.workspaceId);
      return service.during(call('POST', path.replace('{instance}', id), json && { json }), 20_000);
    },
  };
}

const TYPING = '/instances/{instance}/typing';
const LOOKUP = '/instances/{instance}/lookup';
const WITH_NUMBERS = { numbers: ['15550100'] };
const WITH_TYPING = { to: '15550100', state: 'typing' };

/** The errors of a request to the open connection of an instance, or about one of its groups. */
function callErrors(
  path: string,
  json: object | undefined,
  method: 'GET' | 'POST' | 'PATCH' = 'POST',
): Readonly<Record<string, Act>> {
  const name = (code: ErrorCode): string => `${method} ${path} ${code}`;
  const ask = (call: Call, target: string): Promise<Seen> => call(method, target, json && { json });
  const act: Act = ({ call, at }) => ask(call, at(path));
  return {
    [name('INSTANCE_NOT_CONNECTED')]: async (harness) => {
      await harness.service.during(harness.call('POST', harness.at('/instances/{instance}/disconnect')));
      return act(harness);
    },
    [name('UNSUPPORTED_MESSAGE_TYPE')]: async ({ service, call }) => {
      const instance = idOf((await call('POST', '/instances')).json);
      await service.during(call('POST', `/instances/${instance}/connect`));
      await service.during(service.sandbox.phone(instance).scan({ capabilities: ['text'] }));
      const group = firstOf((await call('GET', `/instances/${instance}/groups`)).text);
      return ask(call, path.replace('{instance}', instance).replace('{group}', group));
    },
    [name('SUBSCRIPTION_REQUIRED')]: withPlan({ subscription: 'none' }, act),
    [name('SUBSCRIPTION_PAST_DUE')]: withPlan({ subscription: 'past_due' }, act),
    [name('GATEWAY_ERROR')]: async (harness) => {
      harness.cutOff(true);
      const seen = await harness.service.during(act(harness), 20_000);
      harness.cutOff(false);
      return seen;
    },
    [name('GATEWAY_UNAVAILABLE')]: async () => {
      const { service, call, at } = await withoutGateway();
      return service.during(ask(call, at(path)), 20_000);
    },
  };
}

const BLOCK = '/contacts/{contact}/block';

/** The errors of a request that blocks a contact, or no longer. */
function blockErrors(method: 'PUT' | 'DELETE'): Readonly<Record<string, Act>> {
  const name = (code: ErrorCode): string => `${method} ${BLOCK} ${code}`;
  const act: Act = ({ call, at }) => call(method, at(BLOCK));
  return {
    [name('INSTANCE_NOT_FOUND')]: async (harness) => {
      await harness.service.during(harness.call('DELETE', harness.at('/instances/{instance}')));
      return act(harness);
    },
    [name('INSTANCE_NOT_CONNECTED')]: async (harness) => {
      await harness.service.during(harness.call('POST', harness.at('/instances/{instance}/disconnect')));
      return act(harness);
    },
    [name('UNSUPPORTED_MESSAGE_TYPE')]: async ({ service, workspaceId, call }) => {
      const instance = idOf((await call('POST', '/instances')).json);
      await service.during(call('POST', `/instances/${instance}/connect`));
      const phone = service.sandbox.phone(instance);
      await service.during(phone.scan({ capabilities: ['text'] }));
      await service.during(phone.receive({ from: '15550123', text: 'Hello' }));
      const { messages } = service.trunkline.workspace(workspaceId);
      const contact = must((await messages.list({ instance, direction: 'inbound' })).data[0]?.contact);
      return call(method, BLOCK.replace('{contact}', contact.id));
    },
    [name('GATEWAY_ERROR')]: async (harness) => {
      harness.cutOff(true);
      const seen = await harness.service.during(act(harness), 20_000);
      harness.cutOff(false);
      return seen;
    },
  };
}

const NEW_GROUP = '/instances/{instance}/groups';
const GROUP_ROUTES = ROUTES.filter(
  ({ path, operation }) => path.startsWith('/groups/') || /\.(?:create|join)Group$/.test(operation),
);
const JOINED = { kind: 'done', group: { networkId: 'club', name: 'Club', participantsCount: 2 } } as const;

/** The errors of a request about groups. */
function groupErrors(route: Route): Readonly<Record<string, Act>> {
  const { method, path } = route;
  const { json } = needed(route);
  const name = (code: ErrorCode): string => `${method} ${path} ${code}`;
  const act: Act = ({ service, call, at }) => service.during(call(method, at(path), json && { json }));
  const answered =
    (outcome: GroupOutcome): Act =>
    (harness) => {
      harness.answerGroups(outcome);
      return act(harness);
    };
  const of = method === 'GET' || method === 'PATCH' ? method : 'POST';
  const { [name('GATEWAY_ERROR')]: silent, ...errors } = callErrors(path, json, of);
  const isChange = route.errors.includes('OUTCOME_UNKNOWN');
  return {
    ...errors,
    [name('GROUP_CHANGE_REFUSED')]: answered({ kind: 'refused', reason: 'not_member' }),
    [name('GATEWAY_ERROR')]: answered({ kind: 'not_done', reason: 'the connection had ended' }),
    ...(isChange && silent && { [name('OUTCOME_UNKNOWN')]: silent }),
  };
}

/** The errors of a new group, with an idempotency key. */
const KEYED_GROUP: Readonly<Record<string, Act>> = {
  [`POST ${NEW_GROUP} IDEMPOTENCY_KEY_REUSED`]: async (harness) => {
    await createClub(harness, 'Club');
    return createClub(harness, 'Gang');
  },
  [`POST ${NEW_GROUP} GROUP_NOT_FOUND`]: async (harness) => {
    const group = idOf((await createClub(harness, 'Club')).json);
    await harness.service.during(harness.call('POST', `/groups/${group}/leave`));
    return createClub(harness, 'Club');
  },
};

function createClub({ service, call, at }: Harness, name: string): Promise<Seen> {
  const options = { json: { name, participants: ['15550100'] }, headers: { 'Idempotency-Key': 'k' } };
  return service.during(call('POST', at(NEW_GROUP), options));
}

const REACTION = '/messages/{message}/reaction';
const EDIT = '/messages/{message}';
/** The message of the harness is a picture. */
const WITH_CAPTION = { json: { caption: 'Better' } };

/** Receives a message, and returns its id. */
async function received({ service, workspaceId, ids: { instance } }: Harness): Promise<string> {
  await service.during(service.sandbox.phone(instance).receive({ from: '15550123', text: 'Hello' }));
  const { messages } = service.trunkline.workspace(workspaceId);
  return must((await messages.list({ direction: 'inbound' })).data[0]).id;
}

interface Acted {
  /** The request if the message is a text. */
  readonly ofText?: object;
  /** The id of a message that the action is possible on; by default, that of the message which was sent. */
  readonly about?: (harness: Harness) => Promise<string>;
}

/** The errors of a request that queues an action. */
function actionErrors(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  request: object,
  { ofText = request, about = async ({ ids }) => ids.message }: Acted = {},
): Readonly<Record<string, Act>> {
  const [route = ''] = path.split('?');
  const name = (code: ErrorCode): string => `${method} ${route} ${code}`;
  /** The request, for a message that exists when this resolves. */
  const ready = async (
    harness: Harness,
  ): Promise<(headers?: Readonly<Record<string, string>>) => Promise<Seen>> => {
    const of = path.replace('{message}', await about(harness));
    return (headers = {}) => harness.call(method, of, { ...request, headers });
  };
  const act: Act = async (harness) => (await ready(harness))();
  const actOn = (call: Call, message: string): Promise<Seen> =>
    call(method, path.replace('{message}', message), ofText);
  return {
    [name('INVALID_MESSAGE_STATE')]: async ({ service, call, send }) => {
      const refused = idOf((await send({ to: '15550003' })).json);
      await service.clock.advance(1_000);
      return actOn(call, refused);
    },
    [name('UNSUPPORTED_MESSAGE_TYPE')]: async ({ service, call, send }) => {
      const instance = idOf((await call('POST', '/instances')).json);
      await service.during(call('POST', `/instances/${instance}/connect`));
      await service.during(service.sandbox.phone(instance).scan({ capabilities: ['text'] }));
      return actOn(call, idOf((await send({ instance })).json));
    },
    [name('INSTANCE_NOT_FOUND')]: async (harness) => {
      const send = await ready(harness);
      await harness.service.during(harness.call('DELETE', harness.at('/instances/{instance}')));
      return send();
    },
    [name('INSTANCE_NOT_CONNECTED')]: async (harness) => {
      const send = await ready(harness);
      await harness.service.during(harness.call('POST', harness.at('/instances/{instance}/disconnect')));
      return send();
    },
    [name('IDEMPOTENCY_KEY_REUSED')]: async (harness) => {
      const headers = { 'Idempotency-Key': 'k' };
      await harness.call('PUT', harness.at(REACTION), { json: { emoji: '🎉' }, headers });
      return (await ready(harness))(headers);
    },
    [name('SUBSCRIPTION_REQUIRED')]: withPlan({ subscription: 'none' }, act),
    [name('SUBSCRIPTION_PAST_DUE')]: withPlan({ subscription: 'past_due' }, act),
    [name('SEND_BACKLOG')]: async () => {
      const send = await ready(await oneOfEverything({ sendBacklog: 1 }));
      const [first, ...others] = await Promise.all(Array.from({ length: 4 }, () => send()));
      return others.find(({ status }) => status !== 202) ?? must(first);
    },
  };
}

function withPlan(plan: object, act: Act): Act {
  return async (harness) => {
    await harness.service.trunkline.admin.workspaces.setPlan(harness.workspaceId, plan);
    return act(harness);
  };
}

/** The fields of an instance that is linked by credentials. */
const withToken = (access_token: string) => ({
  network: 'sandbox_credentials',
  credentials: { phone_number: '15550177', access_token },
});
const unreachable = { credentials: withToken('sandbox-unreachable').credentials };
const create: Act = ({ call }) => call('POST', '/instances');

const OF_ONE_ROW: Readonly<Record<string, Act>> = {
  'POST /instances INSTANCE_LIMIT_REACHED': withPlan({ instanceLimit: 1 }, create),
  'POST /instances SUBSCRIPTION_REQUIRED': withPlan({ subscription: 'none' }, create),
  'POST /instances GATEWAY_ERROR': ({ call }) =>
    call('POST', '/instances', { json: withToken('sandbox-unreachable') }),
  'PATCH /instances/{instance} GATEWAY_ERROR': async ({ call }) => {
    const linked = idOf((await call('POST', '/instances', { json: withToken('sandbox-1') })).json);
    return call('PATCH', `/instances/${linked}`, { json: unreachable });
  },
  'PATCH /instances/{instance} INVALID_INSTANCE_STATE': async ({ service, call }) => {
    const linked = idOf((await call('POST', '/instances', { json: withToken('sandbox-1') })).json);
    await service.during(call('POST', `/instances/${linked}/connect`));
    return call('PATCH', `/instances/${linked}`, { json: { credentials: null } });
  },
  'PATCH /instances/{instance} INSTANCE_BUSY': async ({ call }) => {
    const linked = idOf((await call('POST', '/instances', { json: withToken('sandbox-1') })).json);
    const [, seen] = await Promise.all([
      call('POST', `/instances/${linked}/logout`),
      call('PATCH', `/instances/${linked}`, { json: { credentials: null } }),
    ]);
    return seen;
  },
  'POST /instances/{instance}/logout INVALID_INSTANCE_STATE': async ({ call }) => {
    const fresh = idOf((await call('POST', '/instances')).json);
    return call('POST', `/instances/${fresh}/logout`);
  },
  'GET /instances/{instance}/qr QR_NOT_AVAILABLE': ({ call, at }) =>
    call('GET', at('/instances/{instance}/qr')),
  'GET /instances/{instance}/passkey PASSKEY_NOT_AVAILABLE': ({ call, at }) =>
    call('GET', at('/instances/{instance}/passkey')),
  'POST /instances/{instance}/passkey PASSKEY_NOT_AVAILABLE': async (harness) => {
    const asked = await askedForPasskey(harness);
    await harness.service.during(asked.answer());
    return asked.answer();
  },
  'POST /instances/{instance}/passkey/confirm PASSKEY_NOT_AVAILABLE': ({ call, at }) =>
    call('POST', at('/instances/{instance}/passkey/confirm')),
  ...passkeyErrors('/instances/{instance}/passkey', askedForPasskey, 'answer'),
  ...passkeyErrors('/instances/{instance}/passkey/confirm', askedForCode, 'confirm'),
  'POST /messages INSTANCE_NOT_CONNECTED': async ({ service, call, at, send }) => {
    await service.during(call('POST', at('/instances/{instance}/disconnect')));
    return send();
  },
  'POST /messages INVALID_MEDIA_TYPE': ({ sendFile }) => sendFile(new TextEncoder().encode('no picture')),
  'POST /messages MEDIA_TOO_LARGE': ({ sendFile }) => {
    const bytes = new Uint8Array(5 * 1_048_576 + 1);
    bytes.set([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
    return sendFile(bytes);
  },
  'POST /messages PAYLOAD_TOO_LARGE': ({ send }) => send({ text: 'a'.repeat(1_048_576) }),
  'POST /messages TRIAL_LIMIT_REACHED': withPlan(
    { subscription: 'trial', trialMessageLimit: 0 },
    ({ send }) => send(),
  ),
  'POST /messages SUBSCRIPTION_REQUIRED': withPlan({ subscription: 'none' }, ({ send }) => send()),
  'POST /messages SUBSCRIPTION_PAST_DUE': withPlan({ subscription: 'past_due' }, ({ send }) => send()),
  'POST /messages SEND_BACKLOG': async () => {
    const { send } = await oneOfEverything({ sendBacklog: 1 });
    const [first, ...others] = await Promise.all([send(), send(), send(), send()]);
    return others.find(({ status }) => status !== 202) ?? first;
  },
  'POST /messages IDEMPOTENCY_KEY_REUSED': async ({ send }) => {
    await send({}, { 'Idempotency-Key': 'k' });
    return send({ text: 'something else' }, { 'Idempotency-Key': 'k' });
  },
  ...callErrors(TYPING, WITH_TYPING),
  ...GROUP_ROUTES.reduce((all, route) => ({ ...all, ...groupErrors(route) }), {}),
  ...KEYED_GROUP,
  ...callErrors(LOOKUP, WITH_NUMBERS),
  ...blockErrors('PUT'),
  ...blockErrors('DELETE'),
  ...actionErrors('PUT', REACTION, { json: { emoji: '👍' } }),
  ...actionErrors('DELETE', REACTION, {}),
  ...actionErrors('PATCH', EDIT, WITH_CAPTION, { ofText: { json: { text: 'Better' } } }),
  ...actionErrors('DELETE', '/messages/{message}?for=everyone', {}),
  ...actionErrors('POST', '/messages/{message}/read', {}, { about: received }),
  'GET /events/stream STREAM_LIMIT_REACHED': async ({ service, workspaceId, call }) => {
    const { events } = service.trunkline.workspace(workspaceId);
    await Promise.all(Array.from({ length: 100 }, () => events.stream()));
    return call('GET', '/events/stream');
  },
  'GET /messages/{message}/media MEDIA_NOT_AVAILABLE': async ({ call, send }) =>
    call('GET', `/messages/${idOf((await send()).json)}/media`),
  'POST /webhooks WEBHOOK_LIMIT_REACHED': withPlan({ webhookLimit: 1 }, ({ call }) =>
    call('POST', '/webhooks', {
      json: { url: 'https://hooks.example.com/2', events: ['message.sent'] },
    }),
  ),
  'PATCH /webhooks/{webhook} WEBHOOK_LIMIT_REACHED': async (harness) => {
    const change = (status: string): ReturnType<Act> =>
      harness.call('PATCH', harness.at('/webhooks/{webhook}'), { json: { status } });
    await change('disabled');
    return withPlan({ webhookLimit: 0 }, () => change('enabled'))(harness);
  },
  'POST /webhook-deliveries/{delivery}/retry WEBHOOK_RETRY_NOT_ALLOWED': ({ call, at }) =>
    call('POST', at('/webhook-deliveries/{delivery}/retry')),
  'POST /webhook-deliveries/{delivery}/try-now WEBHOOK_RETRY_NOT_ALLOWED': ({ call, at }) =>
    call('POST', at('/webhook-deliveries/{delivery}/try-now')),
};
