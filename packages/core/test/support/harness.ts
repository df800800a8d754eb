import { readEvent } from '@trunkline/receiver';
import type { WebhookEvent } from '@trunkline/receiver';
import { SUBSCRIBABLE_EVENT_TYPES, createTrunkline } from '../../src/index.ts';
import type {
  Gateway,
  Logger,
  Notification,
  Notifier,
  Roles,
  Storage,
  Trunkline,
  WebhookResourceWithSecret,
  WorkspaceApi,
} from '../../src/index.ts';
import type { TrunklineOptions } from '../../src/index.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { recordingSender, testRuntime } from '../../src/testing/index.ts';
import type { ManualClock, RecordingSender } from '../../src/testing/index.ts';
import { memoryStorage } from './memory-storage.ts';

export const SECRET_KEY = 'a secret key of at least 32 characters';
export const SECOND = 1_000;
export const MINUTE: number = 60 * SECOND;
export const HOUR: number = 60 * MINUTE;
export const DAY: number = 24 * HOUR;
/** How long the sandbox network takes for one step. */
export const STEP = 25;

/**
 * A Trunkline on SQLite in memory and a sandbox network, with one workspace and a clock that only the test moves.
 */
export interface Harness {
  readonly trunkline: Trunkline;
  readonly api: WorkspaceApi;
  readonly workspaceId: string;
  readonly clock: ManualClock;
  readonly storage: Storage;
  readonly sandbox: Sandbox;
  readonly sender: RecordingSender;
  readonly logs: readonly LogLine[];
  readonly emails: readonly Notification[];
  /**
   * Starts another Trunkline on the same storage, clock and network, as a second process would be, with a separate
   * sender.
   */
  another(
    options?: HarnessOptions,
  ): Promise<{ trunkline: Trunkline; api: WorkspaceApi; sender: RecordingSender }>;
}

interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly facts: Readonly<Record<string, unknown>>;
  readonly message: string;
}

type HarnessOptions = Partial<TrunklineOptions> & {
  /** The only gateway; by default, the harness's sandbox. */
  readonly gateway?: Gateway;
  /** Called before the start. */
  readonly prepare?: (trunkline: Trunkline) => void;
};

export async function startHarness(options: HarnessOptions = {}): Promise<Harness> {
  const runtime = testRuntime();
  const { clock } = runtime;
  const storage = options.storage ?? memoryStorage();
  const sandbox = createSandbox();
  const logs: LogLine[] = [];
  const emails: Notification[] = [];
  const logger = options.logger ?? recordingLogger(logs);
  const notifier: Notifier = {
    async notify(email) {
      emails.push(email);
    },
  };
  const start = async ({
    prepare,
    gateway = sandbox.gateway,
    ...own
  }: HarnessOptions): Promise<{ trunkline: Trunkline; sender: RecordingSender }> => {
    const sender = recordingSender();
    const trunkline = createTrunkline({
      ...runtime,
      webhookSender: sender,
      // Several Trunklines share the storage, so one that stops must not close it for the others.
      storage: { ...storage, close: async () => {} },
      gateways: [gateway],
      secretKey: SECRET_KEY,
      logger,
      notifier,
      ...own,
    });
    prepare?.(trunkline);
    await trunkline.start();
    return { trunkline, sender };
  };

  const { storage: _given, ...rest } = options;
  const { trunkline, sender } = await start(rest);
  const { id: workspaceId } = await trunkline.admin.workspaces.create({ name: 'Acme' });
  return {
    trunkline,
    api: trunkline.workspace(workspaceId),
    workspaceId,
    clock,
    storage,
    sandbox,
    sender,
    logs,
    emails,
    async another(more = {}) {
      const second = await start(more);
      return { ...second, api: second.trunkline.workspace(workspaceId) };
    },
  };
}

export function only(...roles: readonly (keyof Roles)[]): Roles {
  const has = (role: keyof Roles): boolean => roles.includes(role);
  return {
    api: has('api'),
    gateway: has('gateway'),
    webhooks: has('webhooks'),
    maintenance: has('maintenance'),
  };
}

/**
 * Lets a long time pass, only the last quarter of an hour in steps, because the workers poll, so more steps would
 * be slow.
 */
export async function jumpAhead({ clock }: Harness, ms: number): Promise<void> {
  const atLast = Math.min(ms, 15 * MINUTE);
  clock.jump(ms - atLast);
  await clock.advance(atLast);
}

export async function connectInstance(
  { api, clock, sandbox }: Harness,
  profile: { readonly phoneNumber?: string; readonly profileName?: string } = {},
): Promise<string> {
  const { id } = await api.instances.create();
  await api.instances.connect(id);
  await clock.advance(STEP);
  await sandbox.phone(id).scan(profile);
  await clock.settle();
  return id;
}

/** Creates an instance and connects it, on a gateway that connects automatically, such as a scripted one. */
export async function connectScripted({ api, clock }: Harness): Promise<string> {
  const { id } = await api.instances.create();
  await api.instances.connect(id);
  await clock.settle();
  return id;
}

/**
 * A harness with a connected instance (on the sandbox, unless a gateway is given). `since` returns the types of the
 * events received since it connected.
 */
export async function connected(
  options: HarnessOptions = {},
): Promise<{ readonly harness: Harness; readonly id: string; since(): readonly string[] }> {
  const harness = await startHarness(options);
  await listen(harness);
  const id = await (options.gateway ? connectScripted(harness) : connectInstance(harness));
  const before = receivedTypes(harness).length;
  return { harness, id, since: () => receivedTypes(harness).slice(before) };
}

/** Lets this much time pass, and then waits for a request whose response takes that long. */
export async function after<Value>({ clock }: Harness, ms: number, request: Promise<Value>): Promise<Value> {
  const settled = request.catch(() => {});
  await clock.advance(ms);
  await settled;
  return request;
}

/** Creates an endpoint for every event except the opt-in events. */
export function listen(
  { api }: Pick<Harness, 'api'>,
  url = 'https://hooks.example.com/all',
): Promise<WebhookResourceWithSecret> {
  return api.webhooks.create({ url, events: SUBSCRIBABLE_EVENT_TYPES });
}

/** The events that receivers got, each only once, in the order of `created_at`. */
export function receivedEvents({ sender }: Pick<Harness, 'sender'>): readonly WebhookEvent[] {
  const events = new Map<string, WebhookEvent>();
  for (const { body } of sender.requests) {
    const read = readEvent(body);
    if (!read.ok) throw new Error(`The service sent a body that is not an event (${read.reason}): ${body}`);
    events.set(read.event.id, read.event);
  }
  return [...events.values()].toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1));
}

export function receivedTypes(harness: Pick<Harness, 'sender'>): readonly string[] {
  return receivedEvents(harness).map(({ type }) => type);
}

export function sendText(
  { api }: Pick<Harness, 'api'>,
  instance: string,
  to = '34600000009',
  text = 'Hello',
): ReturnType<WorkspaceApi['messages']['send']> {
  return api.messages.send({ instance, to, type: 'text', text });
}

function recordingLogger(lines: LogLine[]): Logger {
  const at =
    (level: LogLine['level']) =>
    (facts: Readonly<Record<string, unknown>>, message: string): void => {
      lines.push({ level, facts, message });
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
