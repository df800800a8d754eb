import type { Clock } from '../ports/clock.ts';
import type { DnsResolver } from '../ports/dns-resolver.ts';
import type { Gateway, GatewayConnection } from '../ports/gateway.ts';
import type { Logger } from '../ports/logger.ts';
import { noMedia } from '../ports/media-store.ts';
import type { MediaStore } from '../ports/media-store.ts';
import type { Notifier } from '../ports/notifier.ts';
import type { Storage } from '../ports/storage/storage.ts';
import { isUnavailable, UnavailableError } from '../ports/unavailable-error.ts';
import type { WebhookSender } from '../ports/webhook-sender.ts';
import { createCallWatch } from './call-watch.ts';
import { wrapMethods } from './wrap-methods.ts';
import type { Method } from './wrap-methods.ts';
import { wrapReads } from './wrap-reads.ts';

/**
 * A database reads in milliseconds. Storages that bound their own calls reject sooner, and say more about the cause.
 */
const READING_MS = 15_000;
const WRITING_MS = 30_000;
/** The longest wait for the next chunk. */
const STREAMING_MS = 30_000;
/** Longer than the 10 s after which a webhook sender ends a request by default. */
const NETWORK_MS = 30_000;
/** A connection that does not open within this time is given up. */
const CONNECTING_MS = 60_000;
/** How long the network may take to close a connection, or to unlink a number. */
const DISCONNECTING_MS = 10_000;
/** How long the network may take to check credentials. */
const CHECKING_MS = 10_000;
/** How long the network may take for a call, for which a client waits. */
const CALLING_MS = 10_000;
const EMAIL_MS = 60_000;
/** Short, because a client waits for this call. */
const RESOLVING_MS = 3_000;

const READS = /^(?:count|describe|find|has|is[A-Z]|list|load|names|queue|read|serverTime)/u;
/**
 * The position of the caller's own transaction among the arguments. Calls with a transaction are not guarded,
 * because their waits and errors are the caller's.
 */
const TRANSACTION_AT: Readonly<Record<string, number>> = { 'messages.accept': 1, 'messages.find': 2 };

type AnyFunction = (...args: never[]) => unknown;
type StoreName = {
  [Name in keyof Storage]-?: Storage[Name] extends AnyFunction | undefined ? never : Name;
}[keyof Storage];

/** The purpose of each store, for the log. */
const PURPOSES: Readonly<Record<StoreName, string>> = {
  workspaces: 'workspaces and members',
  apiKeys: 'API keys',
  instances: 'instances',
  history: 'the history of instances',
  leases: 'which process holds an instance',
  sessions: 'the sessions of instances',
  calls: 'calls of instances',
  lookups: 'lookups of numbers',
  groupChanges: 'changes of groups',
  groups: 'groups',
  contacts: 'contacts',
  messages: 'messages',
  schedule: 'scheduled messages',
  chats: 'look-ups by chat',
  uploads: 'files',
  downloads: 'files that are still to come',
  actions: 'actions on messages',
  activities: 'activities on messages',
  votes: 'votes in polls',
  endpoints: 'webhook endpoints',
  deliveries: 'webhook deliveries',
  events: 'events',
  subscriptions: 'handlers of events',
  retention: 'deleting what is too old',
  erasure: 'erasing and exporting persons',
  spentTokens: 'tokens that were used',
  processes: 'which processes run',
  workload: 'the workload',
  traffic: 'counts over time',
};

const DATABASE_FAILED =
  'the database did not carry out an operation: it is tried again or its request gets 503, and nothing accepted is lost; err says why: check the database';
const MEDIA_FAILED =
  'the media store did not carry out an operation: what needs the file waits or its request gets 503; err says why: check the media store';
const SENDER_FAILED =
  'the webhook sender did not end a request in time, so it counts as a failed attempt: check the sockets and the DNS of this machine';
const GATEWAY_FAILED =
  'the gateway did not open or close a connection: it is tried again as often as the state of its instance asks for it; err says why';
const CHECK_FAILED =
  'the gateway could not check the credentials of an instance, which were not stored: fix the cause in err, then give them again';
const ANSWER_FAILED =
  'the network did not take the answer to its request for a passkey, which the person can give again while the step lasts: err says why';
const CALL_FAILED =
  'the network did not do in time what a request asked of a connected instance, or failed: the request got an error that says whether to repeat it; err says why';
const NOTIFIER_FAILED =
  'an email was not accepted by the notifier, and is tried again later: check the notifier';
const RESOLVER_FAILED =
  'the DNS resolver did not respond in time, so the URL of a webhook was refused: check the DNS of this machine';

/** A failure of a port, for the metrics. */
export interface PortFailure {
  /** Such as `storage.deliveries.complete`. */
  readonly operation: string;
  readonly outcome: 'rejected' | 'late';
}

/**
 * Wraps the ports whose calls may fail or hang. A call that is late rejects with an `UnavailableError`, and its result
 * is ignored. Each failure is counted, and logged with the operation and its purpose. While the storage is closed,
 * calls have no time limit unless they are remote, and failures are logged only at level debug, because calls that a
 * stopped service left in flight may fail.
 */
export interface PortGuard {
  storage<Transaction>(storage: Storage<Transaction>): Storage<Transaction>;
  media(store: MediaStore): MediaStore;
  webhookSender(sender: WebhookSender): WebhookSender;
  /**
   * Does not guard sends: callers bound them, because the bound depends on the size of the message, and log their
   * failures.
   */
  gateway(gateway: Gateway): Gateway;
  notifier(notifier: Notifier): Notifier;
  /** A name that does not resolve does not count as a failure. */
  dns(resolver: DnsResolver): DnsResolver;
  /** Rejects with an `UnavailableError` if the work is late, for work that makes many slow calls. */
  inTime<Value>(what: string, ms: number, work: Promise<Value>): Promise<Value>;
}

interface GuardOptions {
  readonly clock: Pick<Clock, 'elapsed' | 'setTimer'>;
  readonly logger: Logger;
  readonly failed: (failure: PortFailure) => void;
}

const logged = new WeakSet<object>();

/**
 * Whether the guard has logged this error or its cause, so that a line about its consequences would say
 * nothing new.
 */
export function isLogged(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return logged.has(error) || (error.cause !== undefined && isLogged(error.cause));
}

const late = new WeakSet<object>();

/** Whether a call was given up because it did not end in time. */
export function isLate(error: unknown): boolean {
  return error instanceof Error && late.has(error);
}

interface Operation {
  readonly operation: string;
  readonly purpose: string;
  readonly message: string;
  readonly ms: number;
  /**
   * Whether the call reaches the network. Such calls are rare enough for a timer each, and their failure need
   * not be a defect.
   */
  readonly isRemote?: boolean;
}

export function createPortGuard({ clock, logger, failed }: GuardOptions): PortGuard {
  const watch = createCallWatch(clock);
  let isOpen = false;
  const begin = ({ ms, isRemote }: Operation, giveUp: () => void): (() => void) =>
    isRemote ? clock.setTimer(ms, giveUp) : watch.begin(ms, giveUp);

  const note = (
    { operation, purpose, message, isRemote = false }: Operation,
    outcome: PortFailure['outcome'],
    err: unknown,
  ): void => {
    failed({ operation, outcome });
    if (err instanceof Error) logged.add(err);
    // An operator can fix an unavailable port, but any other error should not happen.
    const level = isRemote || isUnavailable(err) ? 'warn' : 'error';
    logger[isOpen ? level : 'debug']({ operation, purpose, err }, message);
  };

  const noteLate = (operation: Operation): UnavailableError => {
    const error = lateError(operation.operation, operation.ms);
    late.add(error);
    note(operation, 'late', error);
    return error;
  };

  /** Settles as `work` does, or rejects if `work` is late; `dispose` gets a value that comes afterwards. */
  const inTime = <Value>(
    operation: Operation,
    work: Promise<Value>,
    dispose?: (late: Value) => void,
  ): Promise<Value> =>
    new Promise((resolve, reject) => {
      let hasEnded = false;
      const end = begin(operation, () => {
        hasEnded = true;
        reject(noteLate(operation));
      });
      work.then(
        (value) => {
          end();
          if (hasEnded) dispose?.(value);
          else resolve(value);
        },
        (error: unknown) => {
          end();
          if (hasEnded) return;
          note(operation, 'rejected', error);
          reject(error as Error); // passed on as it is, whatever its type
        },
      );
    });

  const guardedMethod = (path: string, purpose: string, method: Method): Method => {
    const name = path.slice(path.indexOf('.') + 1);
    const ms = READS.test(name) ? READING_MS : WRITING_MS;
    const operation = { operation: `storage.${path}`, purpose, message: DATABASE_FAILED, ms };
    const transactionAt = TRANSACTION_AT[path];
    return (...args) => {
      const result = method(...args);
      const isOfCaller = transactionAt !== undefined && args[transactionAt] !== undefined;
      return result instanceof Promise && !isOfCaller ? inTime(operation, result) : result;
    };
  };

  const mediaCall = (name: string, ms: number): Operation => ({
    operation: `media.${name}`,
    purpose: 'files of messages',
    message: MEDIA_FAILED,
    ms,
  });

  /** Bounds the store's time for each chunk, not counting the time that the source takes. */
  const putInTime = (
    operation: Operation,
    content: ReadableStream<Uint8Array>,
    put: (content: ReadableStream<Uint8Array>) => Promise<number>,
  ): Promise<number> =>
    new Promise((resolve, reject) => {
      const source = content.getReader();
      let hasEnded = false;
      let hasSourceFailed = false;
      let endCall = (): void => {};
      const beginCall = (): void => {
        if (!hasEnded) endCall = begin(operation, () => fail(noteLate(operation)));
      };
      const fail = (error: Error): void => {
        hasEnded = true;
        reject(error);
        // Do not wait, because a source may hang, too.
        source.cancel(error).catch(() => undefined);
      };
      const timely = new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            endCall();
            try {
              const { done, value } = await source.read();
              // Fail, because a store that continues later would keep a truncated file.
              if (hasEnded) throw new Error('The file was given up.');
              if (done) controller.close();
              else controller.enqueue(value);
            } catch (error) {
              hasSourceFailed = true;
              throw error;
            } finally {
              beginCall();
            }
          },
          cancel: (reason) => source.cancel(reason),
        },
        { highWaterMark: 0 },
      );
      beginCall();
      put(timely).then(
        (size) => {
          hasEnded = true;
          endCall();
          resolve(size);
        },
        (error: unknown) => {
          endCall();
          if (hasEnded) return;
          if (!hasSourceFailed) note(operation, 'rejected', error);
          fail(error as Error); // passed on as it is, whatever its type
        },
      );
    });

  return {
    storage<Transaction>(storage: Storage<Transaction>): Storage<Transaction> {
      const own = wrapMethods(storage, (name, method) => guardedMethod(name, 'the service itself', method));
      const stores = Object.entries(PURPOSES).map(([name, purpose]) => [
        name,
        // The cast is safe: the keys of PURPOSES are the names of the stores.
        wrapMethods(storage[name as StoreName], (of, method) =>
          guardedMethod(`${name}.${of}`, purpose, method),
        ),
      ]);
      return {
        ...own,
        ...Object.fromEntries(stores),
        // The service's own start and stop bound these two calls.
        async open(context) {
          await storage.open(context);
          watch.open();
          isOpen = true;
        },
        async close() {
          watch.close();
          isOpen = false;
          await storage.close();
        },
      };
    },
    media(store) {
      if (store === noMedia) return store;
      const [size, get, read, put, remove] = [
        mediaCall('size', READING_MS),
        mediaCall('get', READING_MS),
        mediaCall('get', STREAMING_MS),
        mediaCall('put', STREAMING_MS),
        mediaCall('delete', WRITING_MS),
      ] as const;
      const list = mediaCall('list', READING_MS);
      const pages = store.list?.bind(store);
      const cancel = (late: ReadableStream<Uint8Array> | null): void => {
        late?.cancel().catch(() => undefined);
      };
      return {
        put: (id, content) => putInTime(put, content, (timely) => store.put(id, timely)),
        size: (id) => inTime(size, store.size(id)),
        async get(id, range) {
          const content = await inTime(get, store.get(id, range), cancel);
          if (!content) return null;
          return wrapReads(content, (chunk) => inTime(read, chunk));
        },
        delete: (id) => inTime(remove, store.delete(id)),
        ...(pages && { list: (request) => inTime(list, pages(request)) }),
      };
    },
    webhookSender(sender) {
      const operation = {
        operation: 'webhookSender.send',
        purpose: 'webhook deliveries',
        message: SENDER_FAILED,
        ms: NETWORK_MS,
      };
      return {
        send: (request, onFailure) => inTime(operation, sender.send(request, onFailure)),
        close: () => sender.close(),
        open: () => sender.open?.(),
      };
    },
    gateway(gateway) {
      const call = (operation: string, ms: number): Operation => ({
        operation,
        purpose: 'connections of instances',
        message: GATEWAY_FAILED,
        ms,
        isRemote: true,
      });
      const [open, unlink, close, logout] = [
        call('gateway.open', CONNECTING_MS),
        call('gateway.unlink', DISCONNECTING_MS),
        call('connection.close', DISCONNECTING_MS),
        call('connection.logout', DISCONNECTING_MS),
      ] as const;
      const check: Operation = {
        operation: 'gateway.checkCredentials',
        purpose: 'credentials of instances',
        message: CHECK_FAILED,
        ms: CHECKING_MS,
        isRemote: true,
      };
      const answer: Operation = {
        operation: 'connection.answerPasskey',
        purpose: 'connections of instances',
        message: ANSWER_FAILED,
        ms: NETWORK_MS,
        isRemote: true,
      };
      const calling = (name: string): Operation => ({
        operation: `connection.${name}`,
        purpose: 'calls of instances',
        message: CALL_FAILED,
        ms: CALLING_MS,
        isRemote: true,
      });
      const [typing, lookup, block, group] = [
        calling('showTyping'),
        calling('lookUp'),
        calling('setBlocked'),
        calling('manageGroup'),
      ] as const;
      const closeLate = (connection: GatewayConnection): void => {
        connection.close().catch(() => undefined);
      };
      const { checkCredentials } = gateway;
      return {
        ...wrapMethods(gateway, (_name, method) => method),
        ...(checkCredentials && {
          checkCredentials: async (...args) => inTime(check, checkCredentials.apply(gateway, args)),
        }),
        async open(...args) {
          const connection = await inTime(open, gateway.open(...args), closeLate);
          const { answerPasskey, showTyping, lookUp, setBlocked, manageGroup } = connection;
          return {
            ...wrapMethods(connection, (_name, method) => method),
            ...(answerPasskey && {
              answerPasskey: (given) => inTime(answer, answerPasskey.call(connection, given)),
            }),
            ...(showTyping && {
              showTyping: (...given) => inTime(typing, showTyping.apply(connection, given)),
            }),
            ...(lookUp && { lookUp: (numbers) => inTime(lookup, lookUp.call(connection, numbers)) }),
            ...(setBlocked && {
              setBlocked: (...given) => inTime(block, setBlocked.apply(connection, given)),
            }),
            ...(manageGroup && {
              manageGroup: (request) => inTime(group, manageGroup.call(connection, request)),
            }),
            close: () => inTime(close, connection.close()),
            logout: () => inTime(logout, connection.logout()),
          };
        },
        unlink: (...args) => inTime(unlink, gateway.unlink(...args)),
      };
    },
    notifier(notifier) {
      const operation = {
        operation: 'notifier.notify',
        purpose: 'emails to members',
        message: NOTIFIER_FAILED,
        ms: EMAIL_MS,
        isRemote: true,
      };
      return { notify: (notification) => inTime(operation, notifier.notify(notification)) };
    },
    dns(resolver) {
      const operation = {
        operation: 'dns.resolve',
        purpose: 'the URLs of webhooks',
        message: RESOLVER_FAILED,
        ms: RESOLVING_MS,
        isRemote: true,
      };
      return {
        async resolve(hostname, signal) {
          const resolved = resolver.resolve(hostname, signal).then(
            (addresses) => ({ addresses }),
            (error: unknown) => ({ error }),
          );
          const outcome = await inTime(operation, resolved);
          if ('error' in outcome) throw outcome.error;
          return outcome.addresses;
        },
      };
    },
    inTime: (what, ms, work) =>
      new Promise((resolve, reject) => {
        const end = watch.begin(ms, () => reject(lateError(what, ms)));
        work.then(
          (value) => {
            end();
            resolve(value);
          },
          (error: unknown) => {
            end();
            reject(error as Error); // passed on as it is, whatever its type
          },
        );
      }),
  };
}

function lateError(what: string, ms: number): UnavailableError {
  return new UnavailableError(`${what} did not end within ${ms / 1000} s.`);
}
