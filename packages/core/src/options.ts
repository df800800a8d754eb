import type { MeterProvider } from '@opentelemetry/api';
import { checkOptionNames } from '@trunkline/option-names';
import type { OptionNames } from '@trunkline/option-names';
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
import { checkPart, requirePart } from './option-parts.ts';
import { checkSecretKeys } from './secret-keys.ts';
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
   * same for every process on it. Without it what is sealed is lost. While it is being replaced, a list: the first one
   * seals, and every one opens what it has sealed.
   */
  readonly secretKey: string | readonly (string | undefined)[] | undefined;

  /** Shaped like pino. By default warnings and errors go to the console. `silentLogger` for none. */
  readonly logger?: Logger | undefined;
  /** Takes the metrics. That of OpenTelemetry's API at this moment, unless given: nobody's where no SDK is installed. */
  readonly meterProvider?: MeterProvider | undefined;
  /** Mails about failing endpoints; by default they are logged as warnings. */
  readonly notifier?: Notifier | undefined;
  /** What this process does; all by default. */
  readonly roles?: Partial<Roles> | undefined;
  /** `local` also takes http, any port and loopback as webhook URLs: for development, never in production. Default `public`. */
  readonly urlPolicy?: UrlPolicy | undefined;
  /** Whether webhooks carry the headers of Standard Webhooks (https://www.standardwebhooks.com) beside our own. Default true. */
  readonly standardWebhooks?: boolean | undefined;
  /** Messages of one instance that may be queued at once. Default 1,000. */
  readonly sendBacklog?: number | undefined;
  /** How long a disconnect, logout or delete waits for the gateway's answer. Default 15,000 ms. */
  readonly operationTimeoutMs?: number | undefined;
  /** How long `stop()` waits for what is in flight; what has not ended by then is left to the next process. Default 25,000 ms. */
  readonly stopTimeoutMs?: number | undefined;
}

export interface CheckedSettings {
  /** At least one: the first seals. */
  readonly secretKeys: readonly string[];
  readonly roles: Roles;
  readonly urlPolicy: UrlPolicy;
  readonly standardWebhooks: boolean;
  readonly sendBacklog: number;
  readonly operationTimeoutMs: number;
  readonly stopTimeoutMs: number;
}

const role = z.boolean().default(true);
const settings = z.object({
  roles: z.strictObject({ api: role, gateway: role, webhooks: role, maintenance: role }).prefault({}),
  urlPolicy: z.enum(['public', 'local']).default('public'),
  standardWebhooks: z.boolean().default(true),
  sendBacklog: z.int().min(1).max(1_000_000).default(DEFAULT_SEND_BACKLOG),
  operationTimeoutMs: z.int().min(1).max(600_000).default(15_000),
  stopTimeoutMs: z.int().min(1).max(600_000).default(25_000),
});

/** Throws a TypeError that names the first wrong option, and says what to give instead. */
export function checkOptions(options: TrunklineOptions<unknown>): CheckedSettings {
  checkOptionNames('createTrunkline', options, OPTION_NAMES);
  for (const part of ['clock', 'random', 'crypto', 'dns', 'storage', 'gateway'] as const) {
    requirePart(options, part);
  }
  for (const part of ['media', 'logger', 'notifier', 'meterProvider'] as const) checkPart(options, part);
  const secretKeys = checkSecretKeys(options.secretKey);
  const parsed = settings.safeParse(options);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw wrong(issue?.path.join('.') ?? '', issue?.message ?? '');
  }
  if (parsed.data.roles.webhooks) requirePart(options, 'webhookSender');
  return { ...parsed.data, secretKeys };
}

const OPTION_NAMES: OptionNames<TrunklineOptions<unknown>> = {
  clock: true,
  random: true,
  crypto: true,
  dns: true,
  webhookSender: true,
  storage: true,
  gateway: true,
  media: true,
  secretKey: true,
  logger: true,
  meterProvider: true,
  notifier: true,
  roles: true,
  urlPolicy: true,
  standardWebhooks: true,
  sendBacklog: true,
  operationTimeoutMs: true,
  stopTimeoutMs: true,
};

function wrong(option: string, why: string): TypeError {
  return new TypeError(`createTrunkline: the option "${option}" is wrong: ${why}`);
}
