import { createTrunkline, SUBSCRIBABLE_EVENT_TYPES } from '@trunkline/core';
import type { Logger, Notification, Trunkline } from '@trunkline/core';
import type { WebhookResponse } from '@trunkline/core/spi/runtime';
import { testRuntime } from '@trunkline/core/testing';
import { createHttpApp } from '@trunkline/http';
import type { WebhookEvent } from '@trunkline/receiver';
import { readEvent } from '@trunkline/receiver';
import type { Faults } from './faults.ts';
import type { SimulatedClock } from './simulated-clock.ts';
import type { Surroundings } from './surroundings.ts';

export interface LogLine {
  readonly at: number;
  readonly level: keyof Logger;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** An event that a receiver got. */
interface ReceivedEvent {
  /** The URL of an endpoint, or the name of a handler. */
  readonly by: string;
  readonly at: number;
  readonly event: WebhookEvent;
}

export interface SimulatedService {
  readonly trunkline: Trunkline;
  readonly fetch: (request: Request) => Response | Promise<Response>;
}

/** Everything that outlives a process: its surroundings, and what was observed from outside. */
export interface Outside {
  readonly lines: readonly LogLine[];
  readonly received: readonly ReceivedEvent[];
  readonly emails: readonly Notification[];
  /** How often the storage was closed. */
  closed(): number;
  /** Creates a process on the surroundings, without starting it. */
  newService(): SimulatedService;
}

/** The seed of all randomness in a service. */
export const SEED: number = Number(process.env['TEST_SEED'] ?? 1);
export const HANDLER = 'crm';
/** A message that keeps its handler busy for longer than a claim lasts. */
export const SLOWLY_HANDLED = 'slowly handled';
/** A receiver that always fails. */
export const BROKEN_URL = 'https://broken.example.com/hook';

export function outsideOf(clock: SimulatedClock, surroundings: Surroundings, faults: Faults): Outside {
  const runtime = testRuntime({ seed: SEED });
  const lines: LogLine[] = [];
  const received: ReceivedEvent[] = [];
  const emails: Notification[] = [];
  const { storage, media, network, telemetry = {} } = surroundings;
  let isOpen = false;
  let closed = 0;

  const at =
    (level: keyof Logger) =>
    (facts: Readonly<Record<string, unknown>>, message: string): void => {
      lines.push({ at: clock.now(), level, facts, message });
    };
  const receive = (url: string, body: string): WebhookResponse => {
    const read = readEvent(body);
    if (!read.ok) throw new Error(`The service sent a body that is not an event (${read.reason}): ${body}`);
    received.push({ by: url, at: clock.now(), event: read.event });
    return url === BROKEN_URL
      ? { errorCode: 'HTTP_ERROR', responseStatus: 500, responseBody: '' }
      : { errorCode: null, responseStatus: 200, responseBody: '' };
  };
  const gateway = {
    ...network.gateway,
    open: async (...values: Parameters<typeof network.gateway.open>) => {
      const [{ instanceId }] = values;
      return faults.around('connection', await network.gateway.open(...values), { about: instanceId });
    },
  };
  const ports = {
    clock,
    random: runtime.random,
    crypto: runtime.crypto,
    dns: faults.around('dns', runtime.dns),
    webhookSender: faults.around('webhookSender', {
      send: async ({ url, body }: { readonly url: string; readonly body: string }) => receive(url, body),
      close: async () => undefined,
      open: () => undefined,
    }),
    notifier: faults.around('notifier', {
      async notify(notification: Notification) {
        emails.push(notification);
      },
    }),
    logger: faults.around('logger', {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
    }),
    media: faults.around('media', media, { isIo: true }),
    gateways: [faults.around('gateway', gateway)],
    storage: faults.around(
      'storage',
      {
        ...storage,
        // Successive processes share the open storage, because a storage in memory would lose its data when closed.
        async open(context: Parameters<typeof storage.open>[0]) {
          if (!isOpen) await storage.open(context);
          isOpen = true;
        },
        async close() {
          closed += 1;
        },
        ...(storage.serverTime && { serverTime: async () => clock.now() }),
      },
      { isIo: true },
    ),
  };

  return {
    lines,
    received,
    emails,
    closed: () => closed,
    newService() {
      const trunkline = createTrunkline({
        ...ports,
        ...telemetry,
        secretKey: 'a secret key of at least 32 characters',
        instanceDownAfterMs: 20_000,
      });
      trunkline.on(
        SUBSCRIBABLE_EVENT_TYPES,
        async (event) => {
          received.push({ by: HANDLER, at: clock.now(), event });
          if ('message' in event.data && event.data.message.text === SLOWLY_HANDLED)
            await new Promise<void>((resolve) => clock.setTimer(25_000, resolve));
        },
        { name: HANDLER },
      );
      const app = createHttpApp(trunkline, {
        rateLimit: false,
        tracerProvider: telemetry.tracerProvider,
      });
      return { trunkline, fetch: (request) => app.fetch(request) };
    },
  };
}
