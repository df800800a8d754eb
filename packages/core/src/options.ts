import type { MeterProvider } from '@opentelemetry/api';
import * as z from 'zod';
import { DEFAULT_SEND_BACKLOG } from './domain/message/message-limits.ts';
import type { UrlPolicy } from './domain/webhook/url-rules.ts';
import type { Clock } from './ports/clock.ts';
import type { Crypto } from './ports/crypto.ts';
import type { DnsResolver } from './ports/dns-resolver.ts';
import type { Gateway } from './ports/gateway.ts';
import type { Logger } from './ports/logger.ts';
import type { MediaStore } from './ports/media-store.ts';
import type { Notifier } from './ports/notifier.ts';
import type { Random } from './ports/random.ts';
import type { Storage } from './ports/storage/storage.ts';
import type { WebhookSender } from './ports/webhook-sender.ts';
import type { Roles } from './workers/roles.ts';

/** What `createTrunkline` is put together from. `nodeRuntime()` brings the first five, `edgeRuntime()` the first four. */
export interface TrunklineOptions<Transaction = never> {
  readonly clock: Clock;
  readonly random: Random;
  readonly crypto: Crypto;
  readonly dns: DnsResolver;
  /** Needed with the role `webhooks` alone: a process that only serves requests can do without sockets. */
  readonly webhookSender?: WebhookSender | undefined;

  readonly storage: Storage<Transaction>;
  readonly gateway: Gateway;
  /** Where the files of media messages are kept; `fileMediaStore()` keeps them in a directory. Without one only text is sent and received files are not kept. */
  readonly media?: MediaStore | undefined;
  /**
   * Seals webhook secrets and network credentials at rest: at least 32 characters, kept outside the database and the
   * same for every process on it. Without it what is sealed is lost.
   */
  readonly secretKey: string | undefined;

  /** Shaped like pino; silent by default. */
  readonly logger?: Logger | undefined;
  /** Takes the metrics. That of OpenTelemetry's API at this moment, unless given: nobody's where no SDK is installed. */
  readonly meterProvider?: MeterProvider | undefined;
  /** Mails about failing endpoints; by default they are logged as warnings. */
  readonly notifier?: Notifier | undefined;
  /** What this process does; all by default. */
  readonly roles?: Partial<Roles> | undefined;
  /** `local` also takes http, any port and loopback as webhook URLs: for development, never in production. Default `public`. */
  readonly urlPolicy?: UrlPolicy | undefined;
  /** Messages of one instance that may be queued at once. Default 1,000. */
  readonly sendBacklog?: number | undefined;
  /** How long a disconnect, logout or delete waits for the gateway's answer. Default 15,000 ms. */
  readonly operationTimeoutMs?: number | undefined;
}

export interface CheckedSettings {
  readonly secretKey: string;
  readonly roles: Roles;
  readonly urlPolicy: UrlPolicy;
  readonly sendBacklog: number;
  readonly operationTimeoutMs: number;
}

const role = z.boolean().default(true);
const settings = z.object({
  secretKey: z.string().min(32),
  roles: z.strictObject({ api: role, gateway: role, webhooks: role, maintenance: role }).prefault({}),
  urlPolicy: z.enum(['public', 'local']).default('public'),
  sendBacklog: z.int().min(1).max(1_000_000).default(DEFAULT_SEND_BACKLOG),
  operationTimeoutMs: z.int().min(1).max(600_000).default(15_000),
});

const parts = ['clock', 'random', 'crypto', 'dns', 'storage', 'gateway'] as const;

/** Throws a TypeError that names the first wrong option. */
export function checkOptions(options: TrunklineOptions<unknown>): CheckedSettings {
  for (const part of parts) demand(options, part);
  const parsed = settings.safeParse(options);
  if (parsed.success) {
    if (parsed.data.roles.webhooks) demand(options, 'webhookSender');
    return parsed.data;
  }
  const issue = parsed.error.issues[0];
  throw new TypeError(`createTrunkline: the option "${issue?.path.join('.')}" is wrong: ${issue?.message}`);
}

function demand(options: TrunklineOptions<unknown>, part: (typeof parts)[number] | 'webhookSender'): void {
  if (typeof options[part] !== 'object' || options[part] === null) {
    throw new TypeError(`createTrunkline: the option "${part}" is missing.`);
  }
}
