import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import { checkOptionNames } from '@trunkline/option-names';
import type { OptionNames } from '@trunkline/option-names';
import * as z from 'zod';
import type { UrlPolicy } from './domain/endpoint/address-rules.ts';
import { flawInHostEntry, hostList, type HostList } from './domain/endpoint/host-list.ts';
import type { HostRules, OwnAddress } from './domain/endpoint/host-rules.ts';
import type { GroupLimits } from './domain/instance/group-change-limits.ts';
import { HISTORY_DAYS } from './domain/instance/instance-history.ts';
import { DOWN_AFTER_MS } from './domain/instance/outage.ts';
import { LINK_PREVIEW_MODES } from './domain/message/link-preview.ts';
import type { LinkPreviewMode } from './domain/message/link-preview.ts';
import { DEFAULT_SEND_BACKLOG } from './domain/message/message.ts';
import { MESSAGES_DAYS_MAX } from './domain/workspace/workspace.ts';
import { checkGateways, checkPart, checkSecretKeys, requirePart } from './option-parts.ts';
import type { Clock } from './ports/clock.ts';
import type { RetentionSettings } from './services/context.ts';
import type { Crypto } from './ports/crypto.ts';
import type { DnsResolver } from './ports/dns-resolver.ts';
import type { Gateway } from './ports/gateway.ts';
import type { LinkPreviewer } from './ports/link-previewer.ts';
import type { Logger } from './ports/logger.ts';
import type { MediaStore } from './ports/media-store.ts';
import type { Notifier } from './ports/notifier.ts';
import type { ProcessMonitor } from './ports/process-monitor.ts';
import type { Random } from './ports/random.ts';
import type { Storage } from './ports/storage/storage.ts';
import type { WebhookSender } from './ports/webhook-sender.ts';
import type { Roles } from './workers/workers.ts';

/** The options of `createTrunkline`. `nodeRuntime()` provides the first seven, `edgeRuntime()` the first four. */
export interface TrunklineOptions<Transaction = never> {
  /** The time and the timers. Part of the runtime; tests use `manualClock()`. */
  readonly clock: Clock;
  /** Random bytes for keys, secrets and ids, which must be unpredictable except in tests. Part of the runtime. */
  readonly random: Random;
  /** SHA-256, key derivation and AES-256-GCM. Part of the runtime. */
  readonly crypto: Crypto;
  /** Resolves the host names of webhook URLs, so that private addresses can be refused. Part of the runtime. */
  readonly dns: DnsResolver;
  /** Sends webhooks. Required for the role `webhooks`; a process without this role can leave it out. */
  readonly webhookSender?: WebhookSender | undefined;
  /** Fetches previews of links. Required if `linkPreviews` is on, by a process with the role `gateway`. */
  readonly linkPreviewer?: LinkPreviewer | undefined;
  /** Reports the machine and the load of the process, for `admin.processes()`. */
  readonly processMonitor?: ProcessMonitor | undefined;

  /** The database: `sqliteStorage()` for one machine, `postgresStorage()` for several, or your own. */
  readonly storage: Storage<Transaction>;
  /**
   * The messaging networks: a gateway of a package, `createSandbox().gateway` without a phone, or your own. At least
   * one, each of another network. An instance whose creator names no network is on the first one.
   */
  readonly gateways: readonly Gateway[];
  /**
   * Keeps the files of media messages; `fileMediaStore()` keeps them in a directory. If omitted, only texts can be
   * sent, and received files are not kept.
   */
  readonly media?: MediaStore | undefined;
  /**
   * Encrypts webhook secrets and network credentials at rest. It has at least 32 characters, is kept outside the
   * database, and is the same for every process on that database. If it is lost, so is everything encrypted. To replace
   * it, give a list: the first key encrypts, and each key decrypts what it has encrypted.
   */
  readonly secretKey: string | readonly (string | undefined)[] | undefined;

  /**
   * An object shaped like a pino logger. By default, warnings and errors go to the console. `silentLogger` logs
   * nothing.
   */
  readonly logger?: Logger | undefined;
  /**
   * Gets the metrics. By default, the provider that OpenTelemetry's API has when the service is created, which does
   * nothing if no SDK is installed.
   */
  readonly meterProvider?: MeterProvider | undefined;
  /**
   * Gets the spans. By default, the provider that OpenTelemetry's API has when the service is created, which does
   * nothing if no SDK is installed.
   */
  readonly tracerProvider?: TracerProvider | undefined;
  /** Sends the emails about failing endpoints and numbers that are down; by default they are logged as warnings. */
  readonly notifier?: Notifier | undefined;
  /** The roles of this process; all by default. */
  readonly roles?: Partial<Roles> | undefined;
  /**
   * `local` also accepts http, any port and loopback in webhook URLs: for development, never in production. Default
   * `public`.
   */
  readonly urlPolicy?: UrlPolicy | undefined;
  /**
   * Private hosts that webhooks may reach, also over http and on any port: host names (`n8n`), `*.internal.example.com`
   * for all subdomains, addresses and ranges (`10.1.0.0/16`, `fd00::/8`). Link-local addresses and the metadata
   * services of clouds need an entry that is their address, or a range within theirs. None by default.
   */
  readonly webhookAllow?: readonly string[] | undefined;
  /**
   * Hosts that webhooks may never reach, in the same notation. A host name includes its subdomains, and a range
   * includes every host with an address in it. Takes precedence over `webhookAllow` and `urlPolicy`. None by default.
   */
  readonly webhookDeny?: readonly string[] | undefined;
  /**
   * Returns the addresses at which the service itself can be reached, so that no webhook is sent there. It is called
   * for each URL that is checked, because interfaces can change, and may leave out addresses on other ports than that
   * of the URL. `listeningAddresses()` of `@trunkline/core/node` lists those of a server. None by default.
   */
  readonly ownAddresses?: ((port: number) => readonly OwnAddress[]) | undefined;
  /** Whether webhooks also have the headers of Standard Webhooks (https://www.standardwebhooks.com). Default true. */
  readonly standardWebhooks?: boolean | undefined;
  /**
   * Whether instances may have a `proxy_url`, with a gateway that accepts proxies. Anyone who may write instances can
   * then make this service connect to any host and port, private ones too. Default false; stored proxies stay in use.
   */
  readonly instanceProxies?: boolean | undefined;
  /**
   * The texts that get a preview of their first link: `requested` those with `link_preview: true`, `all` those without
   * `link_preview: false`. The service then fetches pages that senders chose, by the rules of webhook URLs without
   * `webhookAllow`. Default `off`.
   */
  readonly linkPreviews?: LinkPreviewMode | undefined;
  /**
   * The address at which `createLinkPage` of `@trunkline/http` is served, such as `https://service.example/link`. The QR
   * of an instance that is linked by credentials opens it, so that a person can enter them. If omitted, that QR only
   * says what to do.
   */
  readonly linkPage?: string | undefined;
  /**
   * How many days messages and their files are kept; by default, until they are erased. Their events are deleted with
   * them, or earlier, after 30 days. A workspace may have its own number of days (`admin.workspaces.setRetention`).
   */
  readonly retention?:
    | {
        /** How many days messages are kept, from 1 to 36,500. */
        readonly messagesDays?: number | undefined;
        /** How many days the history of an instance is kept, from 1 to 3,650. Default 30. */
        readonly instanceHistoryDays?: number | undefined;
      }
    | undefined;
  /**
   * How long a number that is meant to run can be down before the notifier is called. The notifier is called once more
   * when the number is back. 0 switches this off. Default 900,000 ms (15 minutes).
   */
  readonly instanceDownAfterMs?: number | undefined;
  /** How many messages of one instance may be queued at the same time. Default 1,000. */
  readonly sendBacklog?: number | undefined;
  /**
   * How often each instance may change groups in an hour, and how many people it may let into groups in a day, because
   * networks lose patience with numbers that do more.
   */
  readonly groupLimits?:
    | {
        /** Changes of groups in an hour. Default 30. */
        readonly changesPerHour?: number | undefined;
        /** People who are added, or let in, in a day. Default 50. */
        readonly newPeoplePerDay?: number | undefined;
      }
    | undefined;
  /** How long a disconnect, logout or delete waits for the gateway's response. Default 15,000 ms. */
  readonly operationTimeoutMs?: number | undefined;
  /**
   * How long `stop()` waits for work in flight. The next process continues work that has not ended by then. Default
   * 25,000 ms.
   */
  readonly stopTimeoutMs?: number | undefined;
}

export interface CheckedSettings {
  /** At least one key; the first seals. */
  readonly secretKeys: readonly string[];
  readonly roles: Roles;
  readonly urlPolicy: UrlPolicy;
  readonly hosts: HostRules;
  readonly standardWebhooks: boolean;
  readonly instanceProxies: boolean;
  readonly linkPreviews: LinkPreviewMode;
  readonly linkPage?: string | undefined;
  readonly retention: RetentionSettings;
  readonly instanceDownAfterMs: number;
  readonly sendBacklog: number;
  readonly groupLimits: GroupLimits;
  readonly operationTimeoutMs: number;
  readonly stopTimeoutMs: number;
}

const role = z.boolean().default(true);
const settings = z.object({
  roles: z.strictObject({ api: role, gateway: role, webhooks: role, maintenance: role }).prefault({}),
  urlPolicy: z.enum(['public', 'local']).default('public'),
  webhookAllow: hostsListed('allow'),
  webhookDeny: hostsListed('deny'),
  ownAddresses: z
    .custom<(port: number) => readonly OwnAddress[]>(
      (value) => typeof value === 'function',
      'must be a function',
    )
    .optional(),
  standardWebhooks: z.boolean().default(true),
  instanceProxies: z.boolean().default(false),
  linkPreviews: z.enum(LINK_PREVIEW_MODES).default('off'),
  linkPage: z
    .url({ protocol: /^https?$/, error: 'must be an address with http: or https:.' })
    .transform((address) => (address.endsWith('/') ? address.slice(0, -1) : address))
    .optional(),
  retention: z
    .strictObject({
      messagesDays: z.int().min(1).max(MESSAGES_DAYS_MAX).optional(),
      instanceHistoryDays: z.int().min(1).max(3_650).default(HISTORY_DAYS),
    })
    .prefault({}),
  instanceDownAfterMs: z
    .int()
    .min(0)
    .max(31 * 86_400_000)
    .default(DOWN_AFTER_MS),
  sendBacklog: z.int().min(1).max(1_000_000).default(DEFAULT_SEND_BACKLOG),
  groupLimits: z
    .strictObject({
      changesPerHour: z.int().min(1).max(10_000).default(30),
      newPeoplePerDay: z.int().min(1).max(10_000).default(50),
    })
    .prefault({}),
  operationTimeoutMs: z.int().min(1).max(600_000).default(15_000),
  stopTimeoutMs: z.int().min(1).max(600_000).default(25_000),
});

/** Throws a TypeError that names the first wrong option, and says what to give instead. */
export function checkOptions(options: TrunklineOptions<unknown>): CheckedSettings {
  checkOptionNames('createTrunkline', options, OPTION_NAMES);
  for (const part of ['clock', 'random', 'crypto', 'dns', 'storage'] as const) {
    requirePart(options, part);
  }
  checkGateways(options.gateways);
  for (const part of ['media', 'logger', 'notifier', 'meterProvider', 'tracerProvider'] as const)
    checkPart(options, part);
  const secretKeys = checkSecretKeys(options.secretKey);
  const parsed = settings.safeParse(options);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw wrong(issue?.path.join('.') ?? '', issue?.message ?? '');
  }
  const { roles, linkPreviews } = parsed.data;
  if (roles.webhooks) requirePart(options, 'webhookSender');
  if (roles.gateway && linkPreviews !== 'off') requirePart(options, 'linkPreviewer');
  const { webhookAllow: allow, webhookDeny: deny, ownAddresses, ...rest } = parsed.data;
  return { ...rest, hosts: { allow, deny, own: (port) => checkOwn(ownAddresses?.(port) ?? []) }, secretKeys };
}

function hostsListed(list: 'allow' | 'deny'): z.ZodType<HostList, readonly string[] | undefined> {
  return z
    .array(z.string())
    .default([])
    .superRefine((entries, context) => {
      for (const entry of entries) {
        const flaw = flawInHostEntry(list, entry);
        if (flaw !== undefined) context.addIssue(`${JSON.stringify(entry)} ${flaw}.`);
      }
    })
    .transform(hostList);
}

/** Runs on each call, because the function may return different addresses each time. */
function checkOwn(addresses: readonly OwnAddress[]): readonly OwnAddress[] {
  for (const { host } of addresses) {
    const flaw = flawInHostEntry('deny', host);
    if (flaw !== undefined)
      throw wrong('ownAddresses', `it returned ${JSON.stringify(host)}, which ${flaw}.`);
  }
  return addresses;
}

const OPTION_NAMES: OptionNames<TrunklineOptions<unknown>> = {
  clock: true,
  random: true,
  crypto: true,
  dns: true,
  webhookSender: true,
  linkPreviewer: true,
  processMonitor: true,
  storage: true,
  gateways: true,
  media: true,
  secretKey: true,
  logger: true,
  meterProvider: true,
  tracerProvider: true,
  notifier: true,
  roles: true,
  urlPolicy: true,
  webhookAllow: true,
  webhookDeny: true,
  ownAddresses: true,
  standardWebhooks: true,
  instanceProxies: true,
  linkPreviews: true,
  linkPage: true,
  retention: true,
  instanceDownAfterMs: true,
  sendBacklog: true,
  groupLimits: true,
  operationTimeoutMs: true,
  stopTimeoutMs: true,
};

function wrong(option: string, why: string): TypeError {
  return new TypeError(`createTrunkline: the option "${option}" is wrong: ${why}`);
}
