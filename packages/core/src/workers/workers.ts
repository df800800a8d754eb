import { noMedia } from '../ports/media-store.ts';
import type { Notifier } from '../ports/notifier.ts';
import type { WebhookSender } from '../ports/webhook-sender.ts';
import { isLate } from '../runtime/port-guard.ts';
import { wrapCalls } from '../runtime/wrap-methods.ts';
import type { ServiceContext } from '../services/context.ts';
import { createCallAnswerer } from './call-answerer.ts';
import { createContactRetention } from './contact-retention.ts';
import { createEndpointMonitor } from './endpoint-monitor.ts';
import { createFileDownloader } from './file-downloader.ts';
import { createGatewaySupervisor } from './gateway-supervisor.ts';
import { createMediaSweeper } from './media-sweeper.ts';
import { createMessageRetention } from './message-retention.ts';
import { createMessageFiler } from './message-filer.ts';
import { createMessageScheduler } from './message-scheduler.ts';
import { createMessageSender } from './message-sender.ts';
import { createOutageMonitor } from './outage-monitor.ts';
import { createResealer } from './resealer.ts';
import { createRetentionCleaner } from './retention-cleaner.ts';
import { createWaitsWalk } from './waits-walk.ts';
import { createWebhookDispatcher } from './webhook-dispatcher.ts';

/** The workers that this process runs for its roles. */
export interface Workers {
  start(): void;
  /**
   * Takes no more work, finishes work in flight, and releases leases if possible. The gateway takes about
   * `timeoutMs` at most.
   */
  stop(timeoutMs: number): Promise<void>;
}

interface Role {
  start(): void;
  stop(timeoutMs: number): Promise<void>;
}

/** The share of `timeoutMs` to wait for sends and calls; the rest is for closing connections and releasing leases. */
const SHARE_OF_SENDS = 0.6;
/** The share to wait for work on instances after that. */
const SHARE_OF_INSTANCES = 0.2;
/** The share to wait for downloads, once before and once after the other two waits. */
const SHARE_OF_DOWNLOADS = 0.05;

export function createWorkers(
  context: ServiceContext,
  {
    roles,
    secretKeys,
    webhookSender,
    notifier,
    leadsKnown,
    name,
  }: {
    readonly roles: Roles;
    /** The number of secret keys. */
    readonly secretKeys: number;
    readonly webhookSender: WebhookSender | undefined;
    readonly notifier: Notifier;
    /** See `ServiceClock`. */
    readonly leadsKnown: Promise<void>;
    /** The name under which this process holds instances. */
    readonly name: string;
  },
): Workers {
  const running: Role[] = [];
  if (roles.gateway) running.push(gatewayRole(context, { owner: name, leadsKnown }));
  if (roles.webhooks && webhookSender) running.push(webhooksRole(context, webhookSender));
  if (roles.maintenance)
    running.push(
      createEndpointMonitor(context, notifier),
      createOutageMonitor(context, notifier),
      createRetentionCleaner(context),
      createMessageRetention(context),
      createContactRetention(context),
      createMessageFiler(context),
      createResealer(context, secretKeys),
      // Without a media store, this process cannot delete the files that other processes keep.
      ...(context.mediaStore === noMedia ? [] : [createMediaSweeper(context)]),
    );
  if (running.length > 0) running.push(createWaitsWalk(context));
  return {
    start() {
      for (const role of running) role.start();
    },
    async stop(timeoutMs) {
      const ends = await Promise.allSettled(running.map((role) => role.stop(timeoutMs)));
      for (const end of ends) {
        if (end.status === 'fulfilled') continue;
        context.logger.warn(
          { err: end.reason },
          'a worker could not release what it held: other processes get it when its lease runs out; check the database',
        );
      }
    },
  };
}

function gatewayRole(
  service: ServiceContext,
  { owner, leadsKnown }: { readonly owner: string; readonly leadsKnown: Promise<void> },
): Role {
  const { clock } = service;
  let hungAt = -Infinity;
  let succeededAt = -Infinity;
  /**
   * Notes a late call if other calls succeeded while it hung: if all calls hang, the database is out of reach for other
   * processes, too.
   */
  const noteFailure = (error: unknown, began: number): void => {
    const now = clock.now();
    if (isLate(error) && succeededAt > (began + now) / 2) hungAt = now;
  };
  const context: ServiceContext = {
    ...service,
    storage: wrapCalls(service.storage, (call) => {
      const began = clock.now();
      const result = call();
      if (result instanceof Promise)
        result.then(
          () => (succeededAt = clock.now()),
          (error: unknown) => noteFailure(error, began),
        );
      return result;
    }),
  };
  const downloader = createFileDownloader(context, {
    ids: () => supervisor.connections.ids(),
    get: (instanceId) => supervisor.connections.get(instanceId),
  });
  const supervisor = createGatewaySupervisor(context, {
    owner,
    leadsKnown,
    hungAt: () => hungAt,
    files: downloader.lane,
    opened(instanceId) {
      sender.wake(instanceId);
      downloader.wake(instanceId);
    },
  });
  const sender = createMessageSender(context, supervisor.connections);
  const scheduler = createMessageScheduler(context);
  const answerer = createCallAnswerer(context, supervisor.connections);
  let unsubscribe = (): void => {};
  return {
    start() {
      context.metrics.observeLeases(supervisor.held);
      unsubscribe = context.storage.subscribe((signal) => {
        if (signal.topic === 'instance' && !signal.byHolder) supervisor.wake(signal.instanceId);
        if (signal.topic === 'queue') sender.wake(signal.instanceId);
        if (signal.topic === 'schedule') scheduler.wake();
        if (signal.topic === 'call') answerer.wake(signal.instanceId);
      });
      context.logger.info(
        { process: owner },
        'this process holds instances under the name that histories show as process',
      );
      supervisor.start();
      sender.start();
      scheduler.start();
      answerer.start();
      downloader.start();
    },
    async stop(timeoutMs) {
      unsubscribe();
      await scheduler.stop();
      await downloader.stop(timeoutMs * SHARE_OF_DOWNLOADS);
      await Promise.all([sender, answerer].map((worker) => worker.stop(timeoutMs * SHARE_OF_SENDS)));
      await supervisor.stop(timeoutMs * SHARE_OF_INSTANCES);
      // Downloads that began with their messages end when the connections close.
      await downloader.completed(timeoutMs * SHARE_OF_DOWNLOADS);
    },
  };
}

function webhooksRole(context: ServiceContext, webhookSender: WebhookSender): Role {
  const dispatcher = createWebhookDispatcher(context, webhookSender);
  let unsubscribe = (): void => {};
  return {
    start() {
      unsubscribe = context.storage.subscribe((signal) => {
        if (signal.topic === 'deliveries') dispatcher.wake();
      });
      dispatcher.start();
    },
    async stop() {
      unsubscribe();
      await dispatcher.stop();
    },
  };
}

/** The roles of a process; all by default. */
export interface Roles {
  /** Serves requests. */
  readonly api: boolean;
  /** Holds connections to the messaging network and sends messages. */
  readonly gateway: boolean;
  /** Sends webhooks. */
  readonly webhooks: boolean;
  /** Watches failing endpoints and numbers that are down, deletes expired data, and files messages by chat. */
  readonly maintenance: boolean;
}
