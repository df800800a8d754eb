import type { Agent } from 'undici';

export interface Plan {
  readonly port: number;
  readonly ca: string;
  /** How many hosts receive webhooks. Each is an endpoint with its own connections. */
  readonly hosts: number;
  readonly webhooks: number;
}

export const DOMAIN = 'hooks.test';
export const SECRET = 'whsec_bm90IGEgc2VjcmV0IGJ1dCBsb25nIGVub3VnaA';
/** As many as in the service. */
export const IN_FLIGHT = 256;

export function originOf(index: number, { hosts, port }: Plan): string {
  return `https://h${index % hosts}.${DOMAIN}:${port}`;
}

/** Resolves every name to this machine, and keeps connections open. */
export function agentOptions({ ca }: Plan): Agent.Options {
  return {
    connect: {
      ca,
      lookup: (_host, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }]),
    },
    allowH2: false,
    connections: 2,
    keepAliveTimeout: 60_000,
  };
}

/** About 1 KB. */
export function payload(id: string): string {
  return JSON.stringify({
    id,
    type: 'message.sent',
    created_at: '2026-11-20T21:00:00.123456Z',
    workspace_id: 'ten_01hzy3v7m2k9p4q8r6s5t1w0xb',
    data: { message: { id: 'msg_01hzy3v7m2k9p4q8r6s5t1w0xb', status: 'sent', text: 'x'.repeat(800) } },
  });
}

/** The share of webhooks that only open the connections and are not counted. */
const WARM_UP = 0.25;

export interface SendFigures {
  readonly perSecond: number;
  /** The sender's CPU time per webhook, in microseconds. */
  readonly cpu: number;
}

/** Measures from the end of the warm-up to the last webhook. */
export function createMeter(total: number): { sent(): void; readonly done: Promise<SendFigures> } {
  const { promise: done, resolve } = Promise.withResolvers<SendFigures>();
  const from = Math.floor(total * WARM_UP);
  let count = 0;
  let began = 0;
  let usage = process.cpuUsage();
  return {
    done,
    sent() {
      count += 1;
      if (count === from) {
        began = performance.now();
        usage = process.cpuUsage();
      }
      if (count !== total) return;
      const { user, system } = process.cpuUsage(usage);
      const measured = total - from;
      resolve({
        perSecond: measured / ((performance.now() - began) / 1000),
        cpu: (user + system) / measured,
      });
    },
  };
}
