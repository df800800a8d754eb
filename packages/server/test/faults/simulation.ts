import { SCOPES, SUBSCRIBABLE_EVENT_TYPES } from '@trunkline/core';
import { everyRequest } from './every-request.ts';
import type { Subjects } from './every-request.ts';
import { FAULT_MS, faultsOf } from './faults.ts';
import type { Fault, Faults } from './faults.ts';
import type { Operation } from './ports.ts';
import { simulatedClock } from './simulated-clock.ts';
import type { SimulatedClock } from './simulated-clock.ts';
import { BROKEN_URL, outsideOf, SLOWLY_HANDLED } from './simulated-service.ts';
import type { Outside, SimulatedService } from './simulated-service.ts';
import type { Surround, Surroundings } from './surroundings.ts';
import { idOf, trafficOf } from './traffic.ts';
import type { Traffic } from './traffic.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** The time step in which the clock advances. */
const STEP_MS = 25;
/** The time after a fault within which everything must work again. */
const HEAL_MS = 90 * SECOND;
/** The additional time for new messages to be sent and their events to arrive. */
const PROBE_MS = 15 * SECOND;

/** The people who exchange messages with the instances. */
const PEOPLE = ['34600000011', '34600000012', '34600000013'] as const;
const ERASED = '34600000019';

export const GOOD_URL = 'https://hooks.example.com/all';
/** A second endpoint, also for the neighbour's events: it must be reached whatever happens to the first. */
export const OTHER_URL = 'https://other.example.com/all';

/** When the faults begin. */
export type Phase =
  /** Normal operation. */
  | 'running'
  /** The start of a process that follows another process. */
  | 'start'
  /** The stop of a process; another process follows when the faults are over. */
  | 'stop';

export interface Case {
  readonly surround: Surround;
  readonly operations: readonly Operation[];
  /** Concurrent faults of independent operations; empty to find the called operations. */
  readonly faults: readonly Fault[];
  readonly phase?: Phase;
}

/** The observations from a simulated case. */
export interface Happened {
  readonly given: readonly Fault[];
  readonly faults: Faults;
  readonly outside: Outside;
  readonly traffic: Traffic;
  readonly surroundings: Surroundings;
  readonly numbers: Numbers;
  readonly faultAt: number;
  readonly probedAt: number;
  /** Messages as the API lists them at the end. */
  readonly messages: readonly ListedMessage[];
  readonly statuses: ReadonlyMap<string, string>;
  /** Deliveries that wait for their next attempt, by endpoint and event. */
  readonly retrying: ReadonlySet<string>;
  /** How long each start and stop took; null if it did not end. */
  readonly startsAndStops: readonly (number | null)[];
  /** The errors with which starts and stops rejected. */
  readonly told: readonly unknown[];
  readonly phase: Phase;
  readonly unhandled: readonly unknown[];
}

export interface ListedMessage {
  readonly id: string;
  readonly instance_id: string;
  readonly direction: string;
  readonly status: string;
  readonly text: string | null;
  readonly caption: string | null;
  readonly media: { readonly available: boolean } | null;
  readonly error: { readonly code: string } | null;
}

interface ListedDelivery {
  readonly id: string;
  readonly event: { readonly id: string };
}

/** The instances of the scenario. */
interface Numbers {
  /** Does most of the work. Faults that concern only one instance concern this one. */
  readonly busy: string;
  /** Must not be affected by a fault of `busy`. */
  readonly neighbour: string;
  readonly loggedOut: string;
  /** Logged out while it has no connection. */
  readonly unlinked: string;
  readonly deleted: string;
  readonly paused: string;
  /** Refused by the network for a while. */
  readonly away: string;
}

/** Runs the scenario with these faults. */
export async function simulate({
  surround,
  operations,
  faults: given,
  phase = 'running',
}: Case): Promise<Happened> {
  const clock = simulatedClock();
  const faults = faultsOf(clock, operations, given);
  const surroundings = await surround(clock);
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  try {
    return await play({ clock, given, faults, surroundings, unhandled, phase });
  } finally {
    process.off('unhandledRejection', note);
    await surroundings.close();
  }
}

interface Stage extends Pick<Happened, 'given' | 'faults' | 'surroundings' | 'unhandled'> {
  readonly clock: SimulatedClock;
  readonly phase: Phase;
}

async function play({ clock, given, faults, surroundings, unhandled, phase }: Stage): Promise<Happened> {
  const { network } = surroundings;
  const outside = outsideOf(clock, surroundings, faults);
  const startsAndStops: (number | null)[] = [];
  const told: unknown[] = [];
  const tell = (reason: unknown): void => void told.push(reason);
  /** Null while no process accepts requests. */
  let service: SimulatedService | null = null;
  let endAt = Infinity;

  const start = async (): Promise<void> => {
    let started: SimulatedService;
    try {
      started = outside.newService();
    } catch (error) {
      tell(error);
      return;
    }
    const from = clock.now();
    const starting = started.trunkline.start();
    starting.catch(tell);
    const outcome = await outcomeWithin(clock, MINUTE, starting);
    startsAndStops.push(outcome === 'late' ? null : clock.now() - from);
    if (outcome === 'fulfilled') service = started;
  };
  const stop = async (): Promise<void> => {
    const stopped = service;
    if (!stopped) return;
    service = null;
    const from = clock.now();
    const stopping = stopped.trunkline.stop();
    stopping.catch(tell);
    const outcome = await outcomeWithin(clock, MINUTE, stopping);
    startsAndStops.push(outcome === 'late' ? null : clock.now() - from);
  };

  await start();
  const traffic = trafficOf(clock, network, { service: () => service, endAt: () => endAt });
  const { numbers, subjects, endpoints } = await prepare({
    clock,
    traffic,
    network,
    running: () => running(service),
  });

  for (const id of [numbers.busy, endpoints.good, GOOD_URL]) faults.one.add(id);
  for (const id of [...Object.values(numbers), endpoints.other, endpoints.broken, OTHER_URL, BROKEN_URL])
    if (id !== numbers.busy) faults.others.add(id);
  if (phase === 'start') await stop();
  const faultAt = clock.now();
  endAt = faultAt + FAULT_MS + HEAL_MS;
  scheduleTraffic({ clock, traffic, network, numbers, subjects, running: () => running(service) });
  if (phase === 'stop') await clock.advance(50);
  faults.begin();
  if (phase === 'stop') await stop();
  while (phase === 'start' && service === null && clock.now() < faultAt + FAULT_MS) {
    await start();
    if (service === null) await clock.advance(5 * SECOND);
  }
  await clock.advance(Math.max(0, faultAt + FAULT_MS - clock.now()));
  faults.end();
  if (service === null) await start();
  await clock.advance(Math.max(0, endAt - clock.now()));

  const probedAt = clock.now();
  endAt = probedAt + PROBE_MS;
  for (const name of ['busy', 'neighbour', 'paused', 'away'] as const)
    traffic.send(numbers[name], PEOPLE[0], `probe ${name}`);
  for (const name of ['busy', 'neighbour'] as const)
    traffic.receive(numbers[name], PEOPLE[0], `probe in ${name}`);
  // Each request records its own failure.
  everyRequest(traffic, running(service).trunkline, subjects).catch(() => undefined);
  await clock.advance(PROBE_MS);

  const seen = await look(clock, traffic, numbers, endpoints);
  await stop();
  return {
    given,
    faults,
    outside,
    traffic,
    surroundings,
    numbers,
    faultAt,
    probedAt,
    ...seen,
    startsAndStops,
    told,
    phase,
    unhandled,
  };
}

function running(service: SimulatedService | null): SimulatedService {
  if (!service) throw new Error('The service does not start although nothing fails any more.');
  return service;
}

interface Preparation {
  readonly clock: SimulatedClock;
  readonly traffic: Traffic;
  readonly network: Surroundings['network'];
  readonly running: () => SimulatedService;
}

interface Prepared {
  readonly numbers: Numbers;
  readonly subjects: Subjects;
  readonly endpoints: Endpoints;
}

/** The ids of the endpoints. */
interface Endpoints {
  readonly good: string;
  readonly other: string;
  readonly broken: string;
}

/** Creates all data that exists before the faults. */
async function prepare({ clock, traffic, network, running }: Preparation): Promise<Prepared> {
  const { admin } = running().trunkline;
  const soon = <Value>(work: Promise<Value>): Promise<Value> => inTime(clock, work);
  const { request } = traffic;
  const get = async (path: string): Promise<unknown> => (await soon(request('GET', path))).json?.data;
  const { id: workspaceId } = await soon(admin.workspaces.create({ name: 'Acme' }));
  const { id: otherWorkspaceId } = await soon(admin.workspaces.create({ name: 'Other' }));
  const ada = { workspaceId, email: 'ada@example.com', emailVerified: true, administersWebhooks: true };
  const member = await soon(admin.members.create(ada));
  const { token } = await soon(admin.apiKeys.create({ workspaceId, name: 'ci', scopes: SCOPES }));
  traffic.identify(token);

  const endpoint = async (url: string): Promise<string> =>
    idOf((await soon(request('POST', '/webhooks', { url, events: SUBSCRIBABLE_EVENT_TYPES }))).json);
  const endpoints = {
    good: await endpoint(GOOD_URL),
    other: await endpoint(OTHER_URL),
    broken: await endpoint(BROKEN_URL),
  };
  const link = async (): Promise<string> => {
    const id = idOf((await soon(request('POST', '/instances'))).json);
    await soon(linked(traffic, network, id));
    return id;
  };
  const numbers: Numbers = {
    busy: await link(),
    neighbour: await link(),
    loggedOut: await link(),
    unlinked: await link(),
    deleted: await link(),
    paused: await link(),
    away: await link(),
  };
  const { busy } = numbers;

  traffic.send(busy, PEOPLE[0], 'before');
  traffic.receive(busy, PEOPLE[0], 'in before');
  traffic.receive(busy, ERASED, 'to be erased', {});
  traffic.receive(busy, PEOPLE[0], 'in file before', {});
  for (const id of [numbers.unlinked, numbers.deleted])
    await soon(request('POST', `/instances/${id}/disconnect`));
  await clock.advance(2 * SECOND);
  // The casts are safe because the specification defines these types.
  const stored = (await get('/messages')) as readonly ListedMessage[];
  const deliveries = (await get(`/webhooks/${endpoints.broken}/deliveries`)) as readonly ListedDelivery[];
  const groups = (await get(`/instances/${busy}/groups`)) as readonly { readonly id: string }[];
  const messageOf = (words: string): string =>
    stored.find(({ text, caption }) => (text ?? caption) === words)?.id ?? '';
  const subjects: Subjects = {
    workspaceId,
    otherWorkspaceId,
    memberId: member.id,
    instance: busy,
    group: groups[0]?.id ?? '',
    message: messageOf('before'),
    fileMessage: messageOf('in file before'),
    event: deliveries[0]?.event.id ?? '',
    endpoint: endpoints.good,
    delivery: deliveries[0]?.id ?? '',
  };
  return { numbers, subjects, endpoints };
}

/** Reads the final state from the API. */
async function look(
  clock: SimulatedClock,
  { request }: Traffic,
  numbers: Numbers,
  endpoints: Endpoints,
): Promise<Pick<Happened, 'messages' | 'statuses' | 'retrying'>> {
  const get = async (path: string): Promise<unknown> =>
    (await inTime(clock, request('GET', path))).json?.data;
  const statuses = new Map<string, string>();
  for (const id of Object.values(numbers)) {
    const instance = (await get(`/instances/${id}`)) as { readonly status: string } | undefined; // the specification defines this type
    statuses.set(id, instance?.status ?? 'gone');
  }
  const retrying = new Set<string>();
  for (const [url, id] of [
    [GOOD_URL, endpoints.good],
    [OTHER_URL, endpoints.other],
  ] as const) {
    const path = `/webhooks/${id}/deliveries?status=retrying&limit=100`;
    const rows = (await get(path)) as readonly ListedDelivery[] | undefined; // the specification defines this type
    for (const { event } of rows ?? []) retrying.add(`${url} ${event.id}`);
  }
  const messages = (await get('/messages?limit=100')) as readonly ListedMessage[]; // the specification defines this type
  return { messages, statuses, retrying };
}

interface Scene {
  readonly clock: SimulatedClock;
  readonly traffic: Traffic;
  readonly network: Surroundings['network'];
  readonly numbers: Numbers;
  readonly subjects: Subjects;
  readonly running: () => SimulatedService;
}

/** Schedules everything that happens while the fault lasts. */
function scheduleTraffic({ clock, traffic, network, numbers, subjects, running }: Scene): void {
  const { send, receive, begin, request } = traffic;
  const { busy, neighbour } = numbers;
  const at = (seconds: number, work: () => void): void => void clock.setTimer(seconds * SECOND, work);
  const askAll = async (): Promise<unknown> => everyRequest(traffic, running().trunkline, subjects);
  const post = (path: string, done: readonly number[]) => async (): Promise<boolean> =>
    done.includes((await request('POST', path)).status);

  at(0, () => {
    send(busy, PEOPLE[0], 'a1');
    send(busy, PEOPLE[1], 'a2');
    send(busy, PEOPLE[0], 'a3');
    send(neighbour, PEOPLE[0], 'b1');
    send(neighbour, PEOPLE[1], 'b2');
    receive(busy, PEOPLE[0], 'ia1');
    receive(busy, PEOPLE[2], SLOWLY_HANDLED);
    receive(neighbour, PEOPLE[0], 'ib1');
  });
  at(0.5, () => {
    send(busy, PEOPLE[2], 'a file', { file: true });
    send(busy, PEOPLE[0], 'a reply', { replyTo: subjects.message });
    send(busy, subjects.group, 'to a group');
    // The network never confirms this message.
    const unknown = { instance: busy, to: '34600000004', type: 'text', text: 'no answer' };
    request('POST', '/messages', unknown).catch(() => undefined);
    receive(busy, PEOPLE[0], 'ia file', {});
    receive(busy, PEOPLE[0], 'ia late file', { delayMs: 40 * SECOND });
  });
  at(1, () =>
    begin('activities', async () => {
      const about = await network.receive(busy, { from: PEOPLE[0], text: 'ia edited' });
      await traffic.pause(SECOND);
      await network.act?.(busy, about);
      return true;
    }),
  );
  // This rejects if no process is running at that moment.
  at(3, () => void askAll().catch(() => undefined));
  at(5, () =>
    begin('link', async () => {
      const { status, json } = await request('POST', '/instances', {});
      if (status !== 201) return false;
      await linked(traffic, network, idOf(json));
      return true;
    }),
  );
  at(10, () =>
    begin('drop', async () => {
      await network.drop(busy);
      return true;
    }),
  );
  at(15, () => begin('log out', post(`/instances/${numbers.loggedOut}/logout`, [200, 409])));
  at(16, () => begin('unlink', post(`/instances/${numbers.unlinked}/logout`, [200, 409])));
  at(18, () =>
    begin('delete', async () =>
      [204, 404].includes((await request('DELETE', `/instances/${numbers.deleted}`)).status),
    ),
  );
  at(20, () =>
    begin('pause', async () => {
      const done = await post(`/instances/${numbers.paused}/disconnect`, [200])();
      if (done) begin('resume', post(`/instances/${numbers.paused}/connect`, [202]));
      return done;
    }),
  );
  at(25, () =>
    begin('go away', async () => {
      await network.away?.(numbers.away, 40 * SECOND);
      return true;
    }),
  );
  at(40, () => {
    send(busy, PEOPLE[0], 'a4');
    send(neighbour, PEOPLE[0], 'b3');
    receive(busy, PEOPLE[0], 'ia4');
    receive(neighbour, PEOPLE[2], 'ib2');
  });
  at(70, () => {
    send(busy, PEOPLE[1], 'a5');
    send(neighbour, PEOPLE[1], 'b4');
    receive(busy, PEOPLE[0], 'ia5');
  });
}

/** Connects an instance, and scans its QR as often as needed. */
export async function linked(traffic: Traffic, network: Surroundings['network'], id: string): Promise<void> {
  for (;;) {
    const data = (await traffic.request('GET', `/instances/${id}`)).json?.data;
    const status = typeof data === 'object' && data && 'status' in data ? data.status : 'unknown';
    if (status === 'connected') return;
    if (status === 'qr_required') {
      const qr = (await traffic.request('GET', `/instances/${id}/qr`)).json?.data;
      const code = typeof qr === 'object' && qr && 'code' in qr ? String(qr.code) : '';
      await network.scan(id, code).catch(() => undefined);
    } else if (status !== 'connecting' && status !== 'unknown')
      await traffic.request('POST', `/instances/${id}/connect`);
    await traffic.pause(100);
  }
}

/** Advances time until the work has settled, which must not take long. */
export async function inTime<Value>(clock: SimulatedClock, work: Promise<Value>): Promise<Value> {
  if ((await outcomeWithin(clock, MINUTE, work)) === 'late')
    throw new Error('A request does not end although nothing fails.');
  return work;
}

async function outcomeWithin(
  clock: SimulatedClock,
  ms: number,
  work: Promise<unknown>,
): Promise<'fulfilled' | 'rejected' | 'late'> {
  let outcome: 'fulfilled' | 'rejected' | 'late' = 'late';
  work.then(
    () => (outcome = 'fulfilled'),
    () => (outcome = 'rejected'),
  );
  await clock.settle();
  const until = clock.now() + ms;
  while (clock.now() < until && (outcome as string) === 'late') await clock.advance(STEP_MS);
  return outcome;
}
