import { metrics as openTelemetry, trace } from '@opentelemetry/api';
import { adminFacade } from './admin-facade.ts';
import { base64url } from './domain/base-encoding.ts';
import { createNewId } from './domain/id.ts';
import type { Member } from './domain/workspace/workspace.ts';
import { checkHandler } from './event-handler.ts';
import { createRunState, lifecycle, whileRunning } from './lifecycle.ts';
import { checkOptions } from './options.ts';
import type { TrunklineOptions } from './options.ts';
import { consoleLogger } from './ports/logger.ts';
import { noMedia } from './ports/media-store.ts';
import { loggingNotifier } from './ports/notifier.ts';
import { deduplicatingLogger } from './runtime/deduplicating-logger.ts';
import { settledWithin } from './runtime/deadline.ts';
import { createPortGuard } from './runtime/port-guard.ts';
import { serviceClock } from './runtime/service-clock.ts';
import { createLocalCalls } from './services/calls/local-calls.ts';
import { createAuthenticator } from './services/authenticate.ts';
import { keptWorkload } from './services/kept-workload.ts';
import type { ServiceContext } from './services/context.ts';
import { createEventStreams } from './services/events/event-streams.ts';
import { createGateways, logMissingNetworks } from './services/gateways.ts';
import { linkPages } from './link-pages.ts';
import { createNetworkIds } from './services/messages/network-ids.ts';
import { createMetrics } from './services/metrics.ts';
import { createNewEvent } from './services/new-event.ts';
import { createSealer } from './services/sealer.ts';
import { countTraffic } from './services/traffic/traffic-counter.ts';
import { createTrafficWriter } from './services/traffic/traffic-writer.ts';
import { createTracing } from './services/tracing.ts';
import { checkSecretKey } from './services/secret-key-check.ts';
import { unwrap } from './trunkline-error.ts';
import type { Principal, Trunkline } from './trunkline.ts';
import { createEndedProcesses } from './workers/ended-processes.ts';
import { createEventWorkers } from './workers/event-workers.ts';
import { createProcessReporter } from './workers/process-reporter.ts';
import type { ProcessReporter } from './workers/process-reporter.ts';
import { createWorkers } from './workers/workers.ts';
import type { Workers } from './workers/workers.ts';
import type { WorkspaceApi } from './workspace-api.ts';
import { workspaceFacade } from './workspace-facade.ts';

/**
 * Creates the service, which opens and starts nothing before `start()`. Throws a TypeError that names the missing or
 * wrong option.
 */
export function createTrunkline<Transaction = never>(
  options: TrunklineOptions<Transaction>,
): Trunkline<Transaction> {
  const { secretKeys, roles, ...settings } = checkOptions(options);
  const { random, crypto } = options;
  const metrics = createMetrics(options.meterProvider ?? openTelemetry.getMeterProvider());
  const logger = deduplicatingLogger(options.logger ?? consoleLogger, options.clock, metrics.logged);
  const guard = createPortGuard({ clock: options.clock, logger, failed: metrics.portFailed });
  const storage = guard.storage(options.storage);
  const gateways = createGateways(
    options.gateways.map((gateway) => guard.gateway(gateway)),
    {
      keepsFiles: options.media !== undefined,
    },
  );
  const webhookSender = options.webhookSender && guard.webhookSender(options.webhookSender);
  const time = serviceClock(options.clock, { storage, logger });
  const { clock, wallTime } = time;
  const newId = createNewId((length) => random.bytes(length));
  const traffic = countTraffic();
  const context: ServiceContext = {
    storage,
    gateways,
    mediaStore: guard.media(options.media ?? noMedia),
    linkPreviewer: options.linkPreviewer ?? null,
    dns: guard.dns(options.dns),
    clock,
    wallTime,
    random,
    crypto,
    logger,
    metrics,
    tracing: createTracing(options.tracerProvider ?? trace.getTracerProvider()),
    traffic,
    sealer: createSealer({ secretKeys, crypto, random }),
    newId,
    newEvent: createNewEvent(newId),
    eventStreams: createEventStreams({ storage, clock, logger }),
    networkIds: createNetworkIds({ storage, random }),
    localCalls: createLocalCalls(),
    settings,
  };
  for (const gateway of gateways.all) gateway.attach({ clock, random, logger });
  const authenticator = createAuthenticator(context);
  const eventWorkers = createEventWorkers(context);
  const workload = keptWorkload(context);
  const trafficWriter = createTrafficWriter(context, traffic);
  const endedProcesses = createEndedProcesses(context);
  const notifier = guard.notifier(options.notifier ?? loggingNotifier(logger));
  let workers: Workers | null = null;
  let reporter: ProcessReporter | null = null;

  const operationMs = Math.max(OPERATION_MS, settings.operationTimeoutMs + STATUS_MS);
  const state = createRunState();
  const facade = (id: string, member: Member | null): WorkspaceApi<Transaction> =>
    whileRunning(state, workspaceFacade(context, id, member), (name, work) =>
      guard.inTime(name, operationMs, work),
    );
  /** One facade for each cached lookup of a key, because a facade has about thirty operations to create. */
  const facades = new WeakMap<Principal, WorkspaceApi<Transaction>>();

  const closeAll = async (): Promise<void> => {
    try {
      const closing = Promise.all([
        trafficWriter.stop(),
        endedProcesses.stop(),
        time.stop(),
        webhookSender?.close(),
      ]);
      if (!(await settledWithin(options.clock, CLOSE_WITHIN_MS / 2, closing)))
        logger.warn(
          {},
          'the connections to receivers or a worker did not end in time, and are left to end with this process: if this happens at every stop, look for requests that hang',
        );
      else await closing;
    } finally {
      await storage.close();
    }
  };

  /** The work of this process at this moment; handlers may be added later. */
  const work = (): readonly string[] => [
    ...Object.entries(roles).flatMap(([role, isTaken]) => (isTaken ? [role] : [])),
    ...(eventWorkers.isEmpty() ? [] : ['handlers']),
  ];

  const { start, stop } = lifecycle({
    async start() {
      await storage.open({ newId, logger });
      try {
        await time.start();
        await checkSecretKey(context);
        await context.networkIds.start();
        await eventWorkers.register();
      } catch (error) {
        await time.stop();
        await storage.close();
        logger.flush();
        throw error;
      }
      // A process without work holds no leases or claims, so it need neither register, nor release those of ended
      // processes.
      if (work().length > 0) await endedProcesses.start();
      await logMissingNetworks(context);
      webhookSender?.open?.();
      // Each start makes new workers under a new name, because they must not touch work that an earlier stop left in
      // flight.
      const name = base64url(random.bytes(12));
      workers = createWorkers(context, {
        name,
        roles,
        secretKeys: secretKeys.length,
        webhookSender,
        notifier,
        leadsKnown: time.leadsKnown(),
      });
      if (work().length > 0)
        reporter = createProcessReporter(context, { name, roles: work, monitor: options.processMonitor });
      state.started();
      metrics.observeWorkload({
        networks: gateways.all.map(({ network }) => network),
        now: clock.now,
        read: workload.readOrNull,
      });
      context.eventStreams.start();
      trafficWriter.start();
      workers.start();
      reporter?.start();
      eventWorkers.start();
    },
    async stop() {
      metrics.observeWorkload(null);
      const { stopTimeoutMs } = settings;
      const ended = Promise.all([
        context.eventStreams.stop(),
        workers?.stop(stopTimeoutMs),
        eventWorkers.stop(),
        reporter?.stop(),
      ]);
      reporter = null;
      if (!(await settledWithin(options.clock, stopTimeoutMs, ended))) {
        logger.warn(
          { stopTimeoutMs },
          'not all work in flight ended within stopTimeoutMs, so it was left: what was not recorded is done again after the next start or by another process, messages under the same network id; raise stopTimeoutMs (STOP_TIMEOUT) if this happens at every stop',
        );
      }
      // Only now, because handlers that are ending may still send.
      state.stopped();
      const closed = closeAll();
      try {
        if (await settledWithin(options.clock, CLOSE_WITHIN_MS, closed)) await closed;
        else
          logger.warn(
            {},
            'the database did not close in time: its connections end with this process; if this happens at every stop, look for what makes the database slow',
          );
      } finally {
        logger.flush();
      }
    },
  });

  return {
    roles,
    logger,
    start,
    stop,
    [Symbol.asyncDispose]: stop,
    on: (types, handler, handlerOptions) => eventWorkers.add(checkHandler(types, handler, handlerOptions)),
    admin: whileRunning(state, adminFacade(context, { authenticator, workload })),
    workspace: (id) => facade(id, null),
    async authenticate(authorization, authentication) {
      state.check();
      return unwrap(await authenticator.authenticate(authorization, authentication));
    },
    as(principal) {
      const known = facades.get(principal);
      if (known) return known;
      const api = facade(principal.workspace.id, principal.member);
      facades.set(principal, api);
      return api;
    },
    linkPages: whileRunning(state, linkPages(context)),
    endStreams: () => context.eventStreams.stop(),
    newRequestId: () => newId('req', clock.now()),
  };
}

/**
 * How long an operation of the API may take in all, unless `operationTimeoutMs` allows more: less
 * than the minute for which clients and proxies usually wait.
 */
const OPERATION_MS = 30_000;
/** The time that an operation has in addition to its wait for a gateway. */
const STATUS_MS = 15_000;

/** How long the database and the connections to receivers may take to close. */
const CLOSE_WITHIN_MS = 3_000;
