import { join } from 'node:path';
import * as z from 'zod';
import { flawInHostEntry, isInstallableToken } from '@trunkline/core/spi/http';
import type { Roles, UrlPolicy } from '@trunkline/core';
import type { S3MediaStoreOptions } from '@trunkline/media-s3';
import type { Database } from './database.ts';
import { StartError } from './start-error.ts';

/** What the environment asks for, checked. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  /** The address that clients know, without a slash at its end; undefined is that of each request. */
  readonly publicUrl: string | undefined;
  readonly dataDirectory: string;
  readonly database: Database;
  /** Where the files of media messages are; null is in the data directory. */
  readonly s3: S3MediaStoreOptions | null;
  readonly apiKey: string | undefined;
  readonly secretKey: string | undefined;
  /** The one before, while what it has sealed is sealed again. */
  readonly previousSecretKey: string | undefined;
  readonly urlPolicy: UrlPolicy;
  /** Hosts that webhooks may reach although they are private. */
  readonly webhookAllow: readonly string[];
  /** Hosts that webhooks may never reach. */
  readonly webhookDeny: readonly string[];
  /** Whether webhooks carry the headers of Standard Webhooks too. */
  readonly standardWebhooks: boolean;
  /** Requests a minute for each key; 0 is off. */
  readonly rateLimit: number;
  readonly roles: Roles;
  readonly gateway: 'sandbox' | 'baileys';
  /** How fast each number writes; undefined is as fast as the network takes it. */
  readonly messagesPerMinute: number | undefined;
  readonly smtpUrl: string | undefined;
  /** Who gets emails about webhooks; undefined leaves it as it is. */
  readonly emailTo: readonly string[] | undefined;
  /** What one must show to read the metrics; undefined lets everybody. */
  readonly metricsToken: string | undefined;
  /** How long a server that is stopped waits for messages and webhooks in flight. */
  readonly stopTimeoutMs: number;
  readonly logLevel: string;
}

/** Reads the variables of docs/running.md. Throws a StartError with a line for each wrong one; none repeats a value that may be secret. */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  // Compose files and shells pass on what is not set as empty.
  const given = Object.entries(environment).filter(([, value]) => value !== undefined && value !== '');
  const read = variables.safeParse(Object.fromEntries(given));
  if (!read.success) {
    const complaints = read.error.issues.map(({ path, message }) => `${String(path[0])} ${message}`);
    throw new StartError(...new Set(complaints));
  }
  const { DATA_DIR, DATABASE_URL, DATABASE_CONNECTIONS, S3_BUCKET, ...rest } = read.data;
  const database = DATABASE_URL ?? { kind: 'sqlite', path: join(DATA_DIR, 'trunkline.db') };
  return {
    host: rest.HOST,
    port: rest.PORT,
    publicUrl: rest.PUBLIC_URL,
    dataDirectory: DATA_DIR,
    database: database.kind === 'sqlite' ? database : { ...database, maxConnections: DATABASE_CONNECTIONS },
    s3: S3_BUCKET === undefined ? null : { bucket: S3_BUCKET, ...s3Options(rest) },
    apiKey: rest.API_KEY,
    secretKey: rest.SECRET_KEY,
    previousSecretKey: rest.SECRET_KEY_PREVIOUS,
    urlPolicy: rest.WEBHOOK_URL_POLICY,
    webhookAllow: rest.WEBHOOK_ALLOW,
    webhookDeny: rest.WEBHOOK_DENY,
    standardWebhooks: rest.STANDARD_WEBHOOKS === 'true',
    rateLimit: rest.RATE_LIMIT,
    roles: rest.ROLES,
    gateway: rest.GATEWAY,
    messagesPerMinute: rest.MESSAGES_PER_MINUTE,
    smtpUrl: rest.SMTP_URL,
    emailTo: rest.MAIL_TO,
    metricsToken: rest.METRICS_TOKEN,
    stopTimeoutMs: rest.STOP_TIMEOUT * 1000,
    logLevel: rest.LOG_LEVEL,
  };
}

const ROLE_NAMES = ['api', 'gateway', 'webhooks', 'maintenance'] as const;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const PUBLIC_URL_RULE =
  'must be a URL like https://messages.example.com, without credentials, query and fragment.';

const variables = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: wholeNumber(65_535).default(8080),
  PUBLIC_URL: z.string().refine(isPublicUrl, PUBLIC_URL_RULE).transform(withoutSlash).optional(),
  DATA_DIR: z.string().default('data'),
  DATABASE_URL: z.string().transform(databaseNamed).optional(),
  DATABASE_CONNECTIONS: wholeNumber(1_000, 2).default(10),
  S3_BUCKET: z.string().optional(),
  S3_REGION: z.string().default('us-east-1'),
  S3_ENDPOINT: z.string().optional(),
  S3_PREFIX: z.string().optional(),
  S3_KEY_ID: z.string().default(''),
  S3_SECRET_KEY: z.string().default(''),
  GATEWAY: z.enum(['sandbox', 'baileys'], 'must be sandbox or baileys.').default('sandbox'),
  MESSAGES_PER_MINUTE: wholeNumber(600, 3).optional(),
  API_KEY: z
    .string()
    .refine(
      isInstallableToken,
      'must be 16 to 128 printable characters without spaces; one that begins with trk_ must be a whole generated key.',
    )
    .optional(),
  SECRET_KEY: secretKey(),
  SECRET_KEY_PREVIOUS: secretKey(),
  WEBHOOK_URL_POLICY: z.enum(['public', 'local'], 'must be public or local.').default('public'),
  WEBHOOK_ALLOW: hostsListed('allow'),
  WEBHOOK_DENY: hostsListed('deny'),
  STANDARD_WEBHOOKS: z.enum(['true', 'false'], 'must be true or false.').default('true'),
  RATE_LIMIT: wholeNumber(1_000_000_000).default(600),
  ROLES: z
    .string()
    .transform(commaList)
    .pipe(z.array(z.string().refine(isRole, `must be a comma list of ${ROLE_NAMES.join(', ')}.`)))
    .default([...ROLE_NAMES])
    .transform(rolesOf),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must be a URL like smtp://user:password@mail.example.com:587.' })
    .optional(),
  MAIL_TO: z
    .string()
    .transform(commaList)
    .pipe(z.array(z.email('must be a comma list of email addresses.').max(320)))
    .optional(),
  METRICS_TOKEN: z
    .string()
    .regex(/^[!-~]{16,128}$/, 'must be 16 to 128 printable characters without spaces.')
    .optional(),
  STOP_TIMEOUT: wholeNumber(600, 1).default(25),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}.`).default('info'),
});

/** What they may be, the store itself checks. */
function s3Options(
  given: Pick<
    z.output<typeof variables>,
    'S3_REGION' | 'S3_ENDPOINT' | 'S3_PREFIX' | 'S3_KEY_ID' | 'S3_SECRET_KEY'
  >,
): Omit<S3MediaStoreOptions, 'bucket'> {
  return {
    region: given.S3_REGION,
    endpoint: given.S3_ENDPOINT,
    prefix: given.S3_PREFIX,
    credentials: { accessKeyId: given.S3_KEY_ID, secretAccessKey: given.S3_SECRET_KEY },
  };
}

function secretKey(): z.ZodType<string | undefined> {
  return z
    .string()
    .min(32, 'must be at least 32 characters, as `openssl rand -base64 32` makes them.')
    .optional();
}

function hostsListed(list: 'allow' | 'deny'): z.ZodType<readonly string[]> {
  return z
    .string()
    .transform(commaList)
    .superRefine((entries, context) => {
      for (const entry of entries) {
        const flaw = flawInHostEntry(list, entry);
        if (flaw !== undefined)
          context.addIssue(`must be a comma list of hosts, but ${JSON.stringify(entry)} ${flaw}.`);
      }
    })
    .default([]);
}

function commaList(text: string): string[] {
  return text.split(',').map((entry) => entry.trim());
}

function wholeNumber(max: number, min = 0): z.ZodType<number, string> {
  const complaint = `must be a whole number from ${min} to ${max}.`;
  return z
    .string()
    .regex(/^\d{1,15}$/, complaint)
    .transform(Number)
    .refine((value) => value >= min && value <= max, complaint);
}

function isPublicUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return (
    url !== null &&
    ['http:', 'https:'].includes(url.protocol) &&
    url.username + url.password === '' &&
    !/[?#]/.test(text)
  );
}

/** As URLs are compared: a host in capitals is the same. */
function withoutSlash(url: string): string {
  return new URL(url).href.replace(/\/$/, '');
}

type NamedDatabase = { kind: 'sqlite'; path: string } | { kind: 'postgres'; url: string };

function databaseNamed(url: string, context: z.RefinementCtx): NamedDatabase {
  const path = /^sqlite:(.+)$/s.exec(url)?.[1];
  if (path !== undefined && path !== ':memory:') return { kind: 'sqlite', path };
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) return { kind: 'postgres', url };
  context.addIssue('must be sqlite: and the path of a file, or postgres:// and where the database is.');
  return z.NEVER;
}

function isRole(name: string): boolean {
  return ROLE_NAMES.some((role) => role === name);
}

function rolesOf(names: readonly string[]): Roles {
  const has = (role: (typeof ROLE_NAMES)[number]): boolean => names.includes(role);
  return {
    api: has('api'),
    gateway: has('gateway'),
    webhooks: has('webhooks'),
    maintenance: has('maintenance'),
  };
}
