import { join } from 'node:path';
import * as z from 'zod';
import { PACE_NAMES } from '@trunkline/core/spi/gateway';
import type { PaceName } from '@trunkline/core/spi/gateway';
import { isInstallableToken } from '@trunkline/core/spi/http';
import type { Roles, UrlPolicy } from '@trunkline/core';
import type { S3MediaStoreOptions } from '@trunkline/media-s3';
import { MESSAGES_PER_DAY } from '@trunkline/mcp/rules';
import type { Database } from '../database/database.ts';
import { DEFAULT_NETWORKS, NETWORK_NAMES, NETWORKS_IN_WORDS, PACED_IN_WORDS } from './network-list.ts';
import type { NetworkName } from './network-list.ts';
import { printableJson } from '../terminal/printable.ts';
import {
  address,
  commaList,
  counterparts,
  database,
  hostsListed,
  idList,
  publicUrl,
  ROLE_NAMES,
  networks,
  roles,
  secretKey,
  wholeNumber,
} from './setting-values.ts';
import type { Address } from './setting-values.ts';
import { otlpEndpoint, otlpHeaders, otlpOrNone, share } from './otlp-setting-values.ts';
import { StartError } from '../errors/start-error.ts';

export interface Settings {
  readonly host: string;
  readonly port: number;
  /** The address that clients use, without a trailing slash; undefined means the address of each request. */
  readonly publicUrl: string | undefined;
  readonly dataDirectory: string;
  readonly database: Database;
  /** The S3 store of media files; null keeps them in the data directory. */
  readonly s3: S3MediaStoreOptions | null;
  readonly apiKey: string | undefined;
  readonly secretKey: string | undefined;
  /** The previous key, needed until everything that it sealed is sealed with the new key. */
  readonly previousSecretKey: string | undefined;
  readonly urlPolicy: UrlPolicy;
  /** Hosts that webhooks may reach although they are private. */
  readonly webhookAllow: readonly string[];
  /** Hosts that webhooks may never reach. */
  readonly webhookDeny: readonly string[];
  /** Whether webhooks carry the headers of Standard Webhooks too. */
  readonly standardWebhooks: boolean;
  /** Whether instances may be given a proxy. */
  readonly instanceProxies: boolean;
  /** Whether texts get a preview of their first link: no, on request, or unless refused. */
  readonly linkPreviews: 'off' | 'requested' | 'all';
  /** How many days the history of an instance is kept. */
  readonly instanceHistoryDays: number;
  /** How often a number may change groups, and how many people it may let into them. */
  readonly groupLimits: { readonly changesPerHour: number; readonly newPeoplePerDay: number };
  /** How long a number is down before a notification; 0 sends no notification. */
  readonly instanceDownAfterMs: number;
  /** How many days messages are kept; undefined keeps them until they are erased. */
  readonly messageRetentionDays: number | undefined;
  /** Requests per minute for each API key; 0 for no limit. */
  readonly rateLimit: number;
  readonly roles: Roles;
  /** The networks of this process; a new instance is on the first one unless its creator names another. */
  readonly gateways: readonly NetworkName[];
  /** The pace of numbers on networks that have one; the next two fields replace parts of it. */
  readonly pace: PaceName;
  readonly messagesPerMinute: number | undefined;
  readonly newPeoplePerDay: number | undefined;
  /** Whether recipients see that a text is being typed. */
  readonly showTyping: boolean;
  readonly smtpUrl: string | undefined;
  /** The recipients of notifications; undefined keeps them as they are. */
  readonly emailTo: readonly string[] | undefined;
  /** The separate address of the metrics; undefined if there is none. */
  readonly metricsAddress: Address | undefined;
  /** The token for reading the metrics; if undefined, METRICS_ADDRESS is open to every client. */
  readonly metricsToken: string | undefined;
  /** Whether the API's reference is served as a page. */
  readonly apiDocs: boolean;
  /** Whether the dashboard is served, if this server has the API. */
  readonly dashboard: boolean;
  /** The token for signing in as an admin; undefined leaves only the printed links. */
  readonly dashboardToken: string | undefined;
  /** The rules for language models; null if the MCP server is not served. */
  readonly mcp: McpSettings | null;
  /** The collector of telemetry; null if nothing is sent. */
  readonly otlp: OtlpSettings | null;
  /** How long a server that is stopped waits for messages and webhooks in flight. */
  readonly stopTimeoutMs: number;
  readonly logLevel: string;
  /** How the lines of the log look; undefined lets the terminal decide. */
  readonly logFormat: 'json' | 'text' | undefined;
}

export interface McpSettings {
  /** The recipients that models may write to; empty allows none. */
  readonly sendTo: readonly string[];
  /** The instances that models may write from; undefined for all. */
  readonly sendFrom: readonly string[] | undefined;
  /** The ids of the API keys that may send; undefined for every key with the scope. */
  readonly sendKeys: readonly string[] | undefined;
  readonly messagesPerDay: number;
  readonly retries: boolean;
}

export interface OtlpSettings {
  /** Without a trailing slash. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly metrics: boolean;
  readonly metricsEveryMs: number;
  readonly traces: boolean;
  /** The share of traces to record, 0 to 1, if the caller has not decided. */
  readonly tracesRatio: number;
}

/** A setting as its source gives it. */
export interface GivenSetting {
  /** The name of its environment variable. */
  readonly variable: string;
  /** The name in that source, for error messages: `PORT`, `--port`, `port in trunkline.toml`. */
  readonly name: string;
  /** The text, as in the environment. Surrounding white space does not count; an empty text counts as omitted. */
  readonly text: string;
}

/**
 * Reads the settings of docs/running.md; if a setting is given more than once, the last value counts. Throws a
 * StartError with a line for each wrong setting, without values that may be secret.
 */
export function readSettings(given: readonly GivenSetting[]): Settings {
  const trimmed = given.map((one) => ({ ...one, text: one.text.trim() }));
  const effective = new Map(trimmed.filter(({ text }) => text !== '').map((one) => [one.variable, one]));
  const quoted = [...effective.values()].filter(({ text }) => QUOTED.test(text));
  if (quoted.length > 0) throw new StartError(...quoted.map(({ name }) => `${name} ${IN_QUOTES}`));
  const read = variables.safeParse(
    Object.fromEntries([...effective].map(([variable, { text }]) => [variable, text])),
  );
  if (!read.success) {
    const complaints = read.error.issues.map(({ path, message }) => {
      const variable = String(path[0]);
      const wrong = effective.get(variable);
      return wrong ? `${wrong.name} ${message}${shown(wrong)}` : `${variable} ${message}`;
    });
    throw new StartError(...new Set(complaints));
  }
  const { DATA_DIR, DATABASE_URL, S3_BUCKET, ...rest } = read.data;
  const named = DATABASE_URL ?? { kind: 'sqlite', path: join(DATA_DIR, 'trunkline.db') };
  return {
    host: rest.HOST,
    port: rest.PORT,
    publicUrl: rest.PUBLIC_URL,
    dataDirectory: DATA_DIR,
    database:
      named.kind === 'sqlite'
        ? named
        : { ...named, maxConnections: rest.DATABASE_CONNECTIONS, poolMode: rest.DATABASE_POOL_MODE },
    s3: S3_BUCKET === undefined ? null : { bucket: S3_BUCKET, ...s3Options(rest) },
    apiKey: rest.API_KEY,
    secretKey: rest.SECRET_KEY,
    previousSecretKey: rest.SECRET_KEY_PREVIOUS,
    urlPolicy: rest.WEBHOOK_URL_POLICY,
    webhookAllow: rest.WEBHOOK_ALLOW,
    webhookDeny: rest.WEBHOOK_DENY,
    standardWebhooks: rest.STANDARD_WEBHOOKS === 'true',
    instanceProxies: rest.INSTANCE_PROXIES === 'true',
    linkPreviews: rest.LINK_PREVIEWS,
    instanceHistoryDays: rest.INSTANCE_HISTORY_DAYS,
    groupLimits: {
      changesPerHour: rest.GROUP_CHANGES_PER_HOUR,
      newPeoplePerDay: rest.GROUP_PEOPLE_PER_DAY,
    },
    instanceDownAfterMs: rest.INSTANCE_DOWN_MINUTES * 60_000,
    messageRetentionDays: rest.MESSAGE_RETENTION_DAYS,
    rateLimit: rest.RATE_LIMIT,
    roles: rest.ROLES,
    gateways: rest.GATEWAYS,
    pace: rest.PACE,
    messagesPerMinute: rest.MESSAGES_PER_MINUTE,
    newPeoplePerDay: rest.NEW_PEOPLE_PER_DAY,
    showTyping: rest.SHOW_TYPING === 'true',
    smtpUrl: rest.SMTP_URL,
    emailTo: rest.MAIL_TO,
    metricsAddress: rest.METRICS_ADDRESS,
    metricsToken: rest.METRICS_TOKEN,
    apiDocs: rest.API_DOCS === 'on',
    dashboard: rest.DASHBOARD === 'on',
    dashboardToken: rest.DASHBOARD_TOKEN,
    mcp: mcpSettings(rest),
    otlp: otlpSettings(rest),
    stopTimeoutMs: rest.STOP_TIMEOUT * 1000,
    logLevel: rest.LOG_LEVEL,
    logFormat: rest.LOG_FORMAT,
  };
}

/** A value in quotes, which a shell would have removed. */
const QUOTED = /^(["']).*\1$/s;
const IN_QUOTES =
  "must not be in quotes: remove them. Docker's --env-file and Kubernetes pass quotes on as part of the value.";

/** How many characters of a refused value are shown: enough to recognise it. */
const SHOWN_CHARACTERS = 80;

/** The refused value as a sentence; empty if it may be secret. */
function shown({ variable, text }: GivenSetting): string {
  // A key or token may have been pasted into the list of ids.
  const isSecret =
    /KEY|TOKEN/.test(variable) || allSettings().some((one) => one.variable === variable && one.isSecret);
  const mayHavePassword = text.includes('://') && (text.includes('@') || /password/i.test(text));
  return isSecret || mayHavePassword ? '' : ` It is ${printableJson(text.slice(0, SHOWN_CHARACTERS))}.`;
}

export interface SettingInfo {
  readonly variable: string;
  /** The meaning, in Markdown. */
  readonly meaning: string;
  /** The default, in Markdown; a dash if there is none. */
  readonly byDefault: string;
  /** Whether the value is secret. It has no flag, because other users can read command lines. */
  readonly isSecret: boolean;
  /** The possible values if they are a closed list, otherwise empty. */
  readonly values: readonly string[];
  /** Whether several values may be given, comma-separated. */
  readonly isList: boolean;
}

/** Every setting, in the order of the documentation. */
export function allSettings(): readonly SettingInfo[] {
  return Object.entries(variables.shape).map(([variable, schema]) => {
    const { meaning, byDefault, isSecret, listOf } = { ...UNDOCUMENTED, ...documented.get(schema) };
    const value: unknown = schema.safeParse(undefined).data;
    const own = ['string', 'number'].includes(typeof value) && value !== '' ? `\`${String(value)}\`` : '–';
    return {
      variable,
      meaning,
      byDefault: byDefault ?? own,
      isSecret: isSecret ?? false,
      values: listOf ?? valuesIn(schema),
      isList: listOf !== undefined,
    };
  });
}

function valuesIn(schema: unknown): readonly string[] {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional)
    return valuesIn(schema.def.innerType);
  return schema instanceof z.ZodEnum ? schema.options.map(String) : [];
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

interface Documentation {
  readonly meaning: string;
  readonly byDefault?: string;
  readonly isSecret?: boolean;
  /** The values that a comma-separated list may contain. */
  readonly listOf?: readonly string[];
}

const UNDOCUMENTED: Documentation = { meaning: '' };
const documented = z.registry<Documentation>();

const variables = z.object({
  HOST: z.string().default('127.0.0.1').register(documented, { meaning: 'the address that it listens on' }),
  PORT: wholeNumber(65_535)
    .default(8080)
    .register(documented, { meaning: 'the port that it listens on; 0 takes any free one' }),
  PUBLIC_URL: publicUrl().register(documented, {
    meaning:
      'for a server behind a proxy: the address that clients use, such as `https://messages.example.com`, with or without a path. `links` and `meta.path` in responses begin with it. If omitted, they repeat the address of the request, which is wrong behind a proxy that ends TLS; `X-Forwarded-*` headers are not trusted',
  }),
  DATA_DIR: z.string().default('data').register(documented, {
    meaning:
      "the directory for all of the server's files. It is created if it does not exist, but its parent must exist",
  }),
  DATABASE_URL: database().register(documented, {
    byDefault: '`sqlite:<DATA_DIR>/trunkline.db`',
    meaning:
      '`sqlite:` and the path of a file in an existing directory; or `postgres://user:password@host/database`, which [many machines](cluster.md) can share',
  }),
  DATABASE_CONNECTIONS: wholeNumber(1_000, 2).default(10).register(documented, {
    meaning:
      'how many connections to PostgreSQL each process may have; two more are used for counting requests',
  }),
  DATABASE_POOL_MODE: z
    .enum(['session', 'transaction'], 'must be session or transaction.')
    .default('session')
    .register(documented, {
      meaning:
        "set it to `transaction` behind a pooler that assigns connections to PostgreSQL for each transaction, such as PgBouncer with `pool_mode = transaction`: then no statements stay prepared, and processes find each other's work by polling, up to 5 seconds later",
    }),
  S3_BUCKET: z.string().optional().register(documented, {
    meaning:
      'keeps the files of media messages in S3 instead of `DATA_DIR`: see [media-s3](../packages/media-s3/README.md)',
  }),
  S3_REGION: z.string().default('us-east-1').register(documented, { meaning: 'where the bucket is' }),
  S3_ENDPOINT: z
    .string()
    .optional()
    .register(documented, { byDefault: 'AWS', meaning: 'the address of another service than AWS' }),
  S3_PREFIX: z
    .string()
    .optional()
    .register(documented, { meaning: 'what all names in the bucket begin with' }),
  S3_EXCLUSIVE: z.enum(['true', 'false'], 'must be true or false.').default('false').register(documented, {
    meaning:
      '`true` if everything in the bucket that begins with the prefix belongs to this service alone: files there that its database does not name are deleted, a day after they are found',
  }),
  S3_KEY_ID: z.string().default('').register(documented, { meaning: "the bucket's credentials: the name" }),
  S3_SECRET_KEY: z
    .string()
    .default('')
    .register(documented, { isSecret: true, meaning: "the bucket's credentials: the secret" }),
  GATEWAYS: networks().register(documented, {
    listOf: NETWORK_NAMES,
    byDefault: DEFAULT_NETWORKS.map((name) => `\`${name}\``).join(', '),
    meaning: `the messaging networks: a comma-separated list of ${NETWORKS_IN_WORDS}; a new instance is on the first one unless its creator names another`,
  }),
  PACE: z
    .enum(PACE_NAMES, `must be ${PACE_NAMES.join(' or ')}.`)
    .default('gentle')
    .register(documented, {
      meaning: `with ${PACED_IN_WORDS}: [how fast each number sends](whatsapp.md#pace), unless its instance has a pace of its own. \`off\` is as fast as the network accepts messages, for which it bans numbers`,
    }),
  MESSAGES_PER_MINUTE: wholeNumber(600, 1)
    .optional()
    .register(documented, {
      byDefault: 'as `PACE` has it',
      meaning: `with ${PACED_IN_WORDS}: how many messages each number sends in a minute, 1 to 600`,
    }),
  NEW_PEOPLE_PER_DAY: wholeNumber(10_000)
    .optional()
    .register(documented, {
      byDefault: 'as `PACE` has it',
      meaning: `with ${PACED_IN_WORDS}: to how many people whom it does not know yet each number writes on a day, in the first ten days after it was linked`,
    }),
  SHOW_TYPING: z
    .enum(['true', 'false'], 'must be true or false.')
    .default('false')
    .register(documented, {
      meaning: `with ${PACED_IN_WORDS}: whether recipients see that the number is typing, for a few seconds before each text`,
    }),
  API_KEY: z
    .string()
    .refine(
      isInstallableToken,
      'must be 16 to 128 printable characters without spaces; one that begins with trk_ must be a whole generated key.',
    )
    .optional()
    .register(documented, {
      isSecret: true,
      byDefault: 'made at the first start',
      meaning: 'a key with every scope: 16 to 128 printable characters',
    }),
  SECRET_KEY: secretKey().register(documented, {
    isSecret: true,
    byDefault: 'made at the first start, in `DATA_DIR`',
    meaning: 'seals webhook secrets and network credentials: 32 characters or more',
  }),
  SECRET_KEY_PREVIOUS: secretKey().register(documented, {
    isSecret: true,
    meaning: 'the key that `SECRET_KEY` replaces: see [a new secret key](#a-new-secret-key)',
  }),
  WEBHOOK_URL_POLICY: z
    .enum(['public', 'local'], 'must be public or local.')
    .default('public')
    .register(documented, {
      meaning: '`local` also allows webhooks to this machine and over http; for development only',
    }),
  WEBHOOK_ALLOW: hostsListed('allow').register(documented, {
    meaning:
      'hosts in a private network that webhooks may reach, also over http and on any port, such as `n8n,10.1.0.0/16`: see [webhooks into a private network](#webhooks-into-a-private-network)',
  }),
  WEBHOOK_DENY: hostsListed('deny').register(documented, {
    meaning:
      'hosts that webhooks may never reach, in the same notation; takes precedence over `WEBHOOK_ALLOW` and `WEBHOOK_URL_POLICY`',
  }),
  STANDARD_WEBHOOKS: z
    .enum(['true', 'false'], 'must be true or false.')
    .default('true')
    .register(documented, {
      meaning:
        'whether webhooks carry the headers of [Standard Webhooks](https://www.standardwebhooks.com) in addition to `X-Service-*`; `false` leaves them out',
    }),
  INSTANCE_PROXIES: z
    .enum(['true', 'false'], 'must be true or false.')
    .default('false')
    .register(documented, {
      meaning:
        '`true` lets whoever may write instances give one a `proxy_url` that it connects through: see [proxies of instances](#proxies-of-instances) for what they can reach with it',
    }),
  LINK_PREVIEWS: z
    .enum(['off', 'requested', 'all'], 'must be off, requested or all.')
    .default('off')
    .register(documented, {
      meaning:
        'which texts get a [preview of their first link](#link-previews): none, those sent with `"link_preview": true`, or all that are not sent with `false`. The server then fetches pages that senders of texts choose',
    }),
  INSTANCE_HISTORY_DAYS: wholeNumber(3_650, 1).default(30).register(documented, {
    meaning: 'how many days [the history of each instance](#why-a-number-went-down) is kept',
  }),
  GROUP_CHANGES_PER_HOUR: wholeNumber(10_000, 1).default(30).register(documented, {
    meaning: 'how often a number may [change groups](decisions.md#groups-that-are-managed) in an hour',
  }),
  GROUP_PEOPLE_PER_DAY: wholeNumber(10_000, 1).default(50).register(documented, {
    meaning: 'how many people a number may add to groups, or let into them, in a day',
  }),
  INSTANCE_DOWN_MINUTES: wholeNumber(44_640).default(15).register(documented, {
    meaning:
      'how many minutes a number that is meant to run can be down before [an email](#emails) is sent, once, and once more when it is back; `0` switches this off',
  }),
  MESSAGE_RETENTION_DAYS: wholeNumber(36_500, 1).optional().register(documented, {
    byDefault: 'for ever',
    meaning:
      'for how many days messages are kept, with their files and events, unless their workspace says otherwise: see [privacy](privacy.md)',
  }),
  RATE_LIMIT: wholeNumber(1_000_000_000).default(600).register(documented, {
    meaning:
      'requests a minute for each API key; `0` switches the limit off. On PostgreSQL all processes count together, on SQLite each process counts separately',
  }),
  ROLES: roles().register(documented, {
    listOf: ROLE_NAMES,
    byDefault: 'all',
    meaning: 'what this process does: a comma-separated list of `api`, `gateway`, `webhooks`, `maintenance`',
  }),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must be a URL like smtp://user:password@mail.example.com:587.' })
    .optional()
    .register(documented, {
      isSecret: true,
      meaning:
        'the server that sends emails about failing webhooks and numbers that are down, such as `smtp://user:password@mail.example.com:587/?from=trunkline@example.com`; if omitted, the warnings are logged',
    }),
  MAIL_TO: z
    .string()
    .transform(commaList)
    .pipe(z.array(z.email('must be a comma list of email addresses.').max(320)))
    .optional()
    .register(documented, {
      meaning: 'who gets these emails: a comma-separated list of addresses, which replaces the previous list',
    }),
  METRICS_ADDRESS: address().register(documented, {
    byDefault: 'off',
    meaning:
      'serves [metrics](monitoring.md) for Prometheus at `/metrics` on an address of its own: `127.0.0.1:9464`, `[::1]:9464`, or a port alone, which is on `127.0.0.1`',
  }),
  METRICS_TOKEN: z
    .string()
    .regex(/^[!-~]{16,128}$/, 'must be 16 to 128 printable characters without spaces.')
    .optional()
    .register(documented, {
      isSecret: true,
      meaning:
        'the token that a reader of `/metrics` sends as `Authorization: Bearer <token>`: 16 to 128 printable characters. With a token, `/metrics` is served next to the API too; without one, only at `METRICS_ADDRESS`, to anybody who can reach it',
    }),
  API_DOCS: z.enum(['on', 'off'], 'must be on or off.').default('on').register(documented, {
    meaning: 'whether the reference of the API is served as a page, at `/api/v1/docs`, which needs no key',
  }),
  DASHBOARD: z.enum(['on', 'off'], 'must be on or off.').default('on').register(documented, {
    meaning:
      'whether the [dashboard](dashboard.md) is served next to the API, at `/dashboard`; a start at a terminal prints a link to it that signs in once',
  }),
  DASHBOARD_TOKEN: z
    .string()
    .regex(/^[!-~]{16,128}$/, 'must be 16 to 128 printable characters without spaces.')
    .optional()
    .register(documented, {
      isSecret: true,
      meaning:
        'a token that signs an admin of all workspaces in to the dashboard: 16 to 128 printable characters. Without one, an admin signs in by the links that are printed, and others by an API key',
    }),
  MCP: z.enum(['on', 'off'], 'must be on or off.').default('off').register(documented, {
    meaning:
      'whether the [MCP server](mcp.md) is served next to the API, at `/mcp`: language models read with it what their API key may read',
  }),
  MCP_SEND_TO: counterparts().register(documented, {
    byDefault: 'nobody',
    meaning:
      'whom models may write to: a comma-separated list of phone numbers, beginnings of phone numbers such as `+4930*`, and ids of groups and contacts',
  }),
  MCP_SEND_FROM: idList('ins', 'instances').register(documented, {
    byDefault: 'all',
    meaning: 'the ids of the instances that models may write from',
  }),
  MCP_SEND_KEYS: idList('key', 'API keys').register(documented, {
    byDefault: 'those with the scope `messages:send`',
    meaning: 'the ids of the API keys with which models may send, which then need no scope for it',
  }),
  MCP_MESSAGES_PER_DAY: wholeNumber(MESSAGES_PER_DAY.max, 1)
    .default(MESSAGES_PER_DAY.default)
    .register(documented, {
      meaning: 'how many messages models may send in each workspace on one day (UTC)',
    }),
  MCP_RETRIES: z.enum(['true', 'false'], 'must be true or false.').default('false').register(documented, {
    meaning:
      'whether models may retry failed deliveries of webhooks, with a key that has the scope `webhooks:write`',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: otlpEndpoint().register(documented, {
    byDefault: 'off',
    meaning:
      'sends metrics and traces to this collector, such as `http://127.0.0.1:4318`, by OTLP over HTTP with protobuf: see [monitoring](monitoring.md#otlp)',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: otlpHeaders().register(documented, {
    isSecret: true,
    meaning: 'headers for the collector: `name=value`, separated by commas, values in URL encoding',
  }),
  OTEL_SERVICE_NAME: z
    .string()
    .max(255, 'must have at most 255 characters.')
    .default('trunkline')
    .register(documented, { meaning: 'what the service is called in the collector' }),
  OTEL_METRICS_EXPORTER: otlpOrNone().register(documented, {
    meaning: '`otlp`, or `none` to send the collector no metrics',
  }),
  OTEL_METRIC_EXPORT_INTERVAL: wholeNumber(3_600_000, 1_000)
    .default(60_000)
    .register(documented, { meaning: 'how many milliseconds lie between two exports of metrics' }),
  OTEL_TRACES_EXPORTER: otlpOrNone().register(documented, {
    meaning: '`otlp`, or `none` to send the collector no traces',
  }),
  OTEL_TRACES_SAMPLER_ARG: share().register(documented, {
    meaning:
      'the share of traces that are recorded, 0 to 1, where the `traceparent` of a request does not say whether its trace is',
  }),
  STOP_TIMEOUT: wholeNumber(600, 1).default(25).register(documented, {
    meaning: 'how many seconds a server that is being stopped waits for messages and webhooks in flight',
  }),
  LOG_LEVEL: z
    .enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}.`)
    .default('info')
    .register(documented, {
      meaning: '`trace`, `debug`, `info`, `warn`, `error`, `fatal`, `silent`',
    }),
  LOG_FORMAT: z.enum(['json', 'text'], 'must be json or text.').optional().register(documented, {
    byDefault: '`text` at a terminal, otherwise `json`',
    meaning: 'how the log looks: `json` is a line of JSON for each entry, `text` is for people',
  }),
});

function otlpSettings(
  given: Pick<z.output<typeof variables>, `OTEL_${string}` & keyof z.output<typeof variables>>,
): OtlpSettings | null {
  const endpoint = given.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return null;
  return {
    endpoint,
    headers: given.OTEL_EXPORTER_OTLP_HEADERS,
    serviceName: given.OTEL_SERVICE_NAME,
    metrics: given.OTEL_METRICS_EXPORTER === 'otlp',
    metricsEveryMs: given.OTEL_METRIC_EXPORT_INTERVAL,
    traces: given.OTEL_TRACES_EXPORTER === 'otlp',
    tracesRatio: given.OTEL_TRACES_SAMPLER_ARG,
  };
}

function mcpSettings(
  given: Pick<z.output<typeof variables>, `MCP${string}` & keyof z.output<typeof variables>>,
): McpSettings | null {
  if (given.MCP === 'off') return null;
  return {
    sendTo: given.MCP_SEND_TO,
    sendFrom: given.MCP_SEND_FROM,
    sendKeys: given.MCP_SEND_KEYS,
    messagesPerDay: given.MCP_MESSAGES_PER_DAY,
    retries: given.MCP_RETRIES === 'true',
  };
}

/** Not validated here, because the store itself does that. */
function s3Options(
  given: Pick<
    z.output<typeof variables>,
    'S3_REGION' | 'S3_ENDPOINT' | 'S3_PREFIX' | 'S3_EXCLUSIVE' | 'S3_KEY_ID' | 'S3_SECRET_KEY'
  >,
): Omit<S3MediaStoreOptions, 'bucket'> {
  return {
    region: given.S3_REGION,
    endpoint: given.S3_ENDPOINT,
    prefix: given.S3_PREFIX,
    exclusive: given.S3_EXCLUSIVE === 'true',
    credentials: { accessKeyId: given.S3_KEY_ID, secretAccessKey: given.S3_SECRET_KEY },
  };
}
