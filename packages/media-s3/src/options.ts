import { checkOptionNames } from '@trunkline/option-names';
import type { OptionNames } from '@trunkline/option-names';

/** The options of `s3MediaStore`. */
export interface S3MediaStoreOptions {
  /** The name of the bucket, which must exist. */
  readonly bucket: string;
  /**
   * The region, such as `eu-central-1`; `auto` for Cloudflare R2. Servers without regions accept any name, usually
   * `us-east-1`.
   */
  readonly region: string;
  /** Fixed credentials, or a function that returns them, such as the result of AWS's `fromNodeProviderChain()`. */
  readonly credentials: S3Credentials | (() => Promise<S3Credentials>);
  /**
   * The address of S3, such as `https://<account>.r2.cloudflarestorage.com`. By default, AWS's address for the region.
   */
  readonly endpoint?: string | undefined;
  /** Whether the bucket's name is in the path rather than in the host name. By default, true with an `endpoint`. */
  readonly pathStyle?: boolean | undefined;
  /** The beginning of the keys of all files, such as `trunkline/media/`. */
  readonly prefix?: string | undefined;
  /**
   * Whether everything that begins with `prefix` belongs to this service only, so that files that its database does not
   * name are deleted. Default false, because a second service, or a copy of this one, would lose its files.
   */
  readonly exclusive?: boolean | undefined;
  /** How S3 encrypts the files. By default, according to the bucket's own setting. */
  readonly encryption?: S3Encryption | undefined;
  /** How long S3 may take. */
  readonly timeouts?: S3Timeouts | undefined;
  /** How many times a request is attempted, at most, if S3 is overloaded or unreachable. Default 5. */
  readonly maxAttempts?: number | undefined;
  /**
   * How many bytes are sent, and held in memory, at a time: 5 MiB to 100 MiB. Default 5 MiB, enough for files of 50 GB.
   */
  readonly partSize?: number | undefined;
  /** Makes the requests. By default, the runtime's `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/** The credentials for S3. */
export interface S3Credentials {
  /** The id of the access key. */
  readonly accessKeyId: string;
  /** The secret of the access key. */
  readonly secretAccessKey: string;
  /** The token of temporary credentials. */
  readonly sessionToken?: string | undefined;
  /**
   * When the credentials expire. A request in the five minutes before that calls the provider again. If omitted, the
   * credentials are not kept for later requests.
   */
  readonly expiration?: Date | undefined;
}

/** The encryption, with S3's keys or with a key of KMS. The values are S3's own. */
export type S3Encryption =
  | {
      /** `AES256` for S3's keys; other values for a key of KMS. */
      readonly algorithm: 'AES256';
    }
  | {
      /** `AES256` for S3's keys; other values for a key of KMS. */
      readonly algorithm: 'aws:kms' | 'aws:kms:dsse';
      /** The key of KMS. By default, the account's default key. */
      readonly keyId?: string | undefined;
    };

/** Limits in milliseconds. */
export interface S3Timeouts {
  /** The limit for one request and its response, except the content of a download. Default 30,000. */
  readonly requestMs?: number | undefined;
  /** The limit for the next bytes of a download while its reader waits for them. Default 30,000. */
  readonly stallMs?: number | undefined;
}

export interface CheckedS3Options {
  /** The bucket's URL, without a slash at its end. */
  readonly bucketUrl: string;
  readonly region: string;
  readonly credentials: () => Promise<S3Credentials>;
  readonly prefix: string;
  /** The headers of requests that create an object. */
  readonly objectHeaders: Readonly<Record<string, string>>;
  readonly requestMs: number;
  readonly stallMs: number;
  readonly maxAttempts: number;
  readonly partSize: number;
  readonly fetch: typeof fetch;
}

const OPTION_NAMES: OptionNames<S3MediaStoreOptions> = {
  bucket: true,
  region: true,
  credentials: true,
  endpoint: true,
  pathStyle: true,
  prefix: true,
  exclusive: true,
  encryption: true,
  timeouts: true,
  maxAttempts: true,
  partSize: true,
  fetch: true,
};

const MIB = 1_048_576;

/** Throws a TypeError that names the first wrong option. */
export function checkOptions(options: S3MediaStoreOptions): CheckedS3Options {
  checkOptionNames('s3MediaStore', options, OPTION_NAMES);
  const { bucket, region, credentials, prefix = '', timeouts = {}, maxAttempts = 5 } = options;
  checkOptionNames('s3MediaStore: timeouts', timeouts, { requestMs: true, stallMs: true });
  const { requestMs = 30_000, stallMs = 30_000 } = timeouts;
  const partSize = options.partSize ?? 5 * MIB;
  check(isLike(bucket, /^[A-Za-z0-9][A-Za-z0-9._-]{1,253}$/), 'bucket', 'must be the name of a bucket');
  check(isLike(region, /^[a-z0-9-]{1,64}$/), 'region', 'must be a region like eu-central-1, or auto');
  check(isPrefix(prefix), 'prefix', 'must be letters, digits and . _ - between slashes, none of them first');
  check([undefined, true, false].includes(options.exclusive), 'exclusive', 'must be true or false');
  check(isWholeNumber(requestMs, 1, 300_000), 'timeouts.requestMs', 'must be milliseconds, up to 5 minutes');
  check(isWholeNumber(stallMs, 1, 300_000), 'timeouts.stallMs', 'must be milliseconds, up to 5 minutes');
  check(isWholeNumber(maxAttempts, 1, 20), 'maxAttempts', 'must be a whole number from 1 to 20');
  check(isWholeNumber(partSize, 5 * MIB, 100 * MIB), 'partSize', 'must be 5 MiB to 100 MiB');
  if (typeof credentials !== 'function') checkCredentials(credentials);
  return {
    bucketUrl: bucketUrl(options),
    region,
    credentials: typeof credentials === 'function' ? credentials : async () => credentials,
    prefix,
    objectHeaders: encryptionHeaders(options.encryption),
    requestMs,
    stallMs,
    maxAttempts,
    partSize,
    fetch: options.fetch ?? fetch,
  };
}

/**
 * Refuses wrong credentials without showing their values. `fetch` would put the value of an invalid header into its
 * error.
 */
export function checkCredentials(credentials: S3Credentials): S3Credentials {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials ?? {};
  check(isPrintable(accessKeyId), 'credentials.accessKeyId', 'is missing or not printable');
  check(isPrintable(secretAccessKey), 'credentials.secretAccessKey', 'is missing or not printable');
  check(
    sessionToken === undefined || isPrintable(sessionToken),
    'credentials.sessionToken',
    'is not printable',
  );
  return credentials;
}

function bucketUrl({ endpoint, region, bucket, pathStyle }: S3MediaStoreOptions): string {
  const server = endpoint ?? `https://s3.${region}.amazonaws.com`;
  const url = URL.canParse(server) ? new URL(server) : null;
  const isServer = url !== null && /^https?:$/.test(url.protocol);
  check(
    isServer && url.username + url.password + url.search + url.hash === '',
    'endpoint',
    'must be a URL like https://s3.example.com, without credentials and query',
  );
  const path = url.pathname.replace(/(?<!\/)\/+$/, '');
  return (pathStyle ?? endpoint !== undefined)
    ? `${url.origin}${path}/${bucket}`
    : `${url.protocol}//${bucket}.${url.host}${path}`;
}

function encryptionHeaders(encryption: S3Encryption | undefined): Record<string, string> {
  if (encryption === undefined) return {};
  const { algorithm } = encryption;
  const isKnown = ['AES256', 'aws:kms', 'aws:kms:dsse'].includes(algorithm);
  check(isKnown, 'encryption.algorithm', 'must be AES256, aws:kms or aws:kms:dsse');
  const headers = { 'x-amz-server-side-encryption': algorithm };
  if (algorithm === 'AES256' || encryption.keyId === undefined) return headers;
  check(isPrintable(encryption.keyId), 'encryption.keyId', 'must be the id or ARN of a key');
  return { ...headers, 'x-amz-server-side-encryption-aws-kms-key-id': encryption.keyId };
}

/** Accepts only prefixes that a URL keeps as they are. */
function isPrefix(prefix: unknown): boolean {
  return isLike(prefix, /^(?=.{0,512}$)([\w.-]+\/)*[\w.-]*$/) && !isLike(prefix, /(^|\/)\.{1,2}(\/|$)/);
}

function isPrintable(value: unknown): boolean {
  return isLike(value, /^[!-~]+$/);
}

function isLike(value: unknown, form: RegExp): boolean {
  return typeof value === 'string' && form.test(value);
}

function isWholeNumber(value: unknown, from: number, to: number): boolean {
  return Number.isInteger(value) && Number(value) >= from && Number(value) <= to;
}

function check(isRight: boolean, option: string, problem: string): asserts isRight {
  if (!isRight) throw new TypeError(`s3MediaStore: the option "${option}" ${problem}.`);
}
