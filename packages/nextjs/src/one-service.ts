import type { Trunkline } from '@trunkline/core';
import { obstacleToStart } from './obstacle-to-start.ts';
import { onSignals } from './on-signals.ts';
import { startLater } from './start-later.ts';
import type { Service } from './service.ts';

export interface OneService<Transaction> {
  register(): Promise<void>;
  started(): Promise<Trunkline<Transaction>>;
  serve(request: Request): Promise<Response>;
  stop(): Promise<void>;
}

/** The state that the bundles of a process share: each evaluates its own copy of this module. */
interface Shared<Transaction> {
  /** Null until a service is needed, and again after the service was stopped or could not start. */
  current: Promise<Starting<Transaction>> | null;
  stopping: Promise<void>;
  cancelRetries: () => void;
  handlesSignals: boolean;
  isEnding: boolean;
}

interface Starting<Transaction> extends Service<Transaction> {
  /** Only the first call starts the service. All calls share the result. */
  start(): Promise<void>;
}

const SHARED = Symbol.for('@trunkline/nextjs');
const RETRY_AFTER_S = 5;

/** Manages the service of this process. Calls `create` if there is none. */
export function createOneService<Transaction>(
  create: () => Promise<Service<Transaction>>,
): OneService<Transaction> {
  const shared = sharedInProcess<Transaction>();

  const forget = (service: Promise<Starting<Transaction>>): void => {
    if (shared.current === service) shared.current = null;
  };

  const created = async (): Promise<Starting<Transaction>> => {
    await shared.stopping;
    const obstacle = obstacleToStart() ?? (shared.isEnding ? ENDING : null);
    if (obstacle !== null) throw new Error(obstacle);
    if (!shared.handlesSignals) onSignals(stopForGood);
    shared.handlesSignals = true;
    // Do not cache a failure: the next call reads the options again.
    const current = (shared.current ??= create().then((service) =>
      startedOnce(service, () => forget(current)),
    ));
    return current.catch((error: unknown) => {
      forget(current);
      throw error;
    });
  };

  const started = async (): Promise<Trunkline<Transaction>> => {
    const service = await created();
    await service.start();
    return service.trunkline;
  };

  const stop = (): Promise<void> => {
    shared.cancelRetries();
    const { current } = shared;
    shared.current = null;
    const stopped = shared.stopping.then(async () => {
      const service = await current?.catch(() => null);
      await service?.trunkline.stop();
    });
    shared.stopping = stopped.catch(() => undefined);
    return stopped;
  };
  const stopForGood = (): Promise<void> => {
    shared.isEnding = true;
    return stop();
  };

  return {
    async register() {
      if (obstacleToStart() !== null) return; // Next.js also calls it in the Edge runtime
      const { trunkline, clock, start } = await created();
      const { logger } = trunkline;
      try {
        await start();
      } catch (err) {
        logger.error({ err }, RETRIED);
        shared.cancelRetries = startLater(started, { clock, everyMs: RETRY_AFTER_S * 1_000 });
      }
      if (process.env.NODE_ENV === 'production' && !process.env['NEXT_MANUAL_SIG_HANDLE'])
        logger.warn({}, ENDED_EARLY);
    },
    started,
    async serve(request) {
      if (shared.isEnding) return unavailable(`req_${crypto.randomUUID()}`);
      const service = await created();
      try {
        await service.start();
      } catch (err) {
        const requestId = service.trunkline.newRequestId();
        service.trunkline.logger.error({ err, requestId }, UNSERVED);
        return unavailable(requestId);
      }
      return service.respond(request);
    },
    stop,
  };
}

function sharedInProcess<Transaction>(): Shared<Transaction> {
  // Only copies of this module set the property, all for the same file of the app.
  const global = globalThis as { [SHARED]?: Shared<Transaction> };
  return (global[SHARED] ??= {
    current: null,
    stopping: Promise.resolve(),
    cancelRetries() {},
    handlesSignals: false,
    isEnding: false,
  });
}

/** Returns the service with a `start` that starts it only on the first call. `onFailure` is called if the start fails. */
function startedOnce<Transaction>(
  service: Service<Transaction>,
  onFailure: () => void,
): Starting<Transaction> {
  let start: Promise<void> | null = null;
  return {
    ...service,
    start: () =>
      (start ??= service.start().catch((error: unknown) => {
        onFailure();
        throw error;
      })),
  };
}

/** Responds as the API does if its database is unreachable. */
function unavailable(requestId: string): Response {
  const message = 'The service has not started, or is ending. Retry later.';
  return Response.json(
    { error: { code: 'INTERNAL_ERROR', message, request_id: requestId } },
    { status: 503, headers: { 'Retry-After': String(RETRY_AFTER_S), 'X-Request-Id': requestId } },
  );
}

const ENDING =
  'Trunkline does not start any more: this process has received SIGTERM or SIGINT, and is ending.';
const RETRIED =
  'the service could not start, and is started again every 5 seconds; the app runs without it: fix the cause in err';
const UNSERVED =
  'a request got 503, since the service could not start: fix the cause in err; the response has the same requestId';
const ENDED_EARLY =
  'Next.js ends this process on SIGTERM before the service has finished what it began; nothing is lost, but the next start waits for up to a minute: set NEXT_MANUAL_SIG_HANDLE=1 where `next start` runs, not in .env';
