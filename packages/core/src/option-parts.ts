import { CREDENTIALS_MAX } from './domain/instance/credential-fields.ts';
import { isNetworkName } from './domain/instance/instance.ts';

type RequiredPart = 'clock' | 'random' | 'crypto' | 'dns' | 'webhookSender' | 'linkPreviewer' | 'storage';
type Part = RequiredPart | 'media' | 'logger' | 'notifier' | 'meterProvider' | 'tracerProvider';
type GivenParts = { readonly [Name in Part]?: unknown };

/** The methods that a part of the service must have, and the text that says where to get the part. */
const PARTS: Readonly<Record<Part, { readonly methods: readonly string[]; readonly fix: string }>> = {
  clock: {
    methods: ['now', 'elapsed', 'setTimer'],
    fix: 'Spread nodeRuntime() of @trunkline/core/node into the options.',
  },
  random: { methods: ['bytes'], fix: 'Spread nodeRuntime() of @trunkline/core/node into the options.' },
  crypto: {
    methods: ['sha256', 'createSha256', 'encrypt', 'decrypt', 'deriveKey'],
    fix: 'Spread nodeRuntime() of @trunkline/core/node into the options; the global crypto is another thing.',
  },
  dns: { methods: ['resolve'], fix: 'Spread nodeRuntime() of @trunkline/core/node into the options.' },
  webhookSender: {
    methods: ['send', 'close'],
    fix: 'Spread nodeRuntime() of @trunkline/core/node into the options, or leave webhooks to another process with roles: { webhooks: false }.',
  },
  linkPreviewer: {
    methods: ['preview'],
    fix: 'Spread nodeRuntime() of @trunkline/core/node into the options, or leave out linkPreviews.',
  },
  storage: {
    methods: ['open', 'close', 'setting', 'subscribe'],
    fix: "Give sqliteStorage({ path: './trunkline.db' }) of @trunkline/storage-sqlite or postgresStorage({ connectionString }) of @trunkline/storage-postgres.",
  },
  media: {
    methods: ['put', 'size', 'get', 'delete'],
    fix: "Give fileMediaStore({ directory: './media' }) of @trunkline/core/node or s3MediaStore(…) of @trunkline/media-s3.",
  },
  logger: {
    methods: ['debug', 'info', 'warn', 'error'],
    fix: 'Give a pino logger, or silentLogger of @trunkline/core; without this option warnings and errors go to the console.',
  },
  notifier: { methods: ['notify'], fix: 'Give an object with notify(notification).' },
  meterProvider: {
    methods: ['getMeter'],
    fix: 'Give a MeterProvider of OpenTelemetry, or leave it out.',
  },
  tracerProvider: {
    methods: ['getTracer'],
    fix: 'Give a TracerProvider of OpenTelemetry, or leave it out.',
  },
};

/** Throws a TypeError if the part is missing, or is not usable. */
export function requirePart(options: GivenParts, part: RequiredPart): void {
  if (isMissing(options[part])) {
    throw new TypeError(`createTrunkline: the option "${part}" is missing. ${PARTS[part].fix}`);
  }
  checkPart(options, part);
}

/** Throws a TypeError if the part is given but not usable. */
export function checkPart(options: GivenParts, part: Part): void {
  const value = options[part];
  if (isMissing(value)) return;
  const { methods, fix } = PARTS[part];
  const lacking = methods.filter((method) => !has(value, method, 'function'));
  if (lacking.length === 0) return;
  const what = typeof value === 'object' ? `lacks ${lacking.join(', ')}` : `is a ${typeof value}`;
  throw new TypeError(`createTrunkline: the option "${part}" is wrong: it ${what}. ${fix}`);
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

const GATEWAY_METHODS = ['attach', 'newMessageId', 'open', 'unlink'] as const;
const HOW_TO_GET_GATEWAYS =
  'Give a list of gateways, such as one of a package @trunkline/gateway-…, or createSandbox().gateway of @trunkline/core/sandbox.';

/** Throws a TypeError unless there is at least one gateway, and each is usable and has a network of its own. */
export function checkGateways(gateways: unknown): void {
  if (isMissing(gateways) || (Array.isArray(gateways) && gateways.length === 0))
    throw new TypeError(`createTrunkline: the option "gateways" is missing. ${HOW_TO_GET_GATEWAYS}`);
  if (!Array.isArray(gateways)) throw wrongGateways('it is not a list', HOW_TO_GET_GATEWAYS);
  const networks = new Set<string>();
  for (const [index, gateway] of gateways.entries()) {
    const lacking = GATEWAY_METHODS.filter((method) => !has(gateway, method, 'function'));
    if (lacking.length > 0)
      throw isWholeSandbox(gateway)
        ? wrongGateways(
            `number ${index + 1} is the whole sandbox`,
            'Give its gateway, createSandbox().gateway.',
          )
        : wrongGateways(`number ${index + 1} lacks ${lacking.join(', ')}`, HOW_TO_GET_GATEWAYS);
    const network: unknown = Reflect.get(gateway, 'network');
    if (!isNetworkName(network))
      throw wrongGateways(
        `the "network" of number ${index + 1} must be 1 to 32 lower-case letters, digits and "_", beginning with a letter`,
        'A gateway names its network.',
      );
    const sendsAtOnce: unknown = Reflect.get(gateway, 'sendsAtOnce') ?? 1;
    if (!isCount(sendsAtOnce))
      throw wrongGateways(
        `"sendsAtOnce" of "${network}" must be a whole number from 1 to ${MOST_SENDS_AT_ONCE}`,
        'A gateway says how many messages it sends at the same time.',
      );
    const flaw = flawInLinking(gateway);
    if (flaw !== null)
      throw wrongGateways(
        `${flaw} of "${network}" does not fit its "linking"`,
        'Only a gateway whose "linking" has "credentials" declares some in "credentials", each with a name of its own, and checks them in "checkCredentials".',
      );
    if (networks.has(network))
      throw wrongGateways(`two have the network "${network}"`, 'Give one gateway for each network.');
    networks.add(network);
  }
}

/** Returns the wrong part of a gateway's credentials; null if it has all parts, or none. */
function flawInLinking(gateway: object): string | null {
  const linking: unknown = Reflect.get(gateway, 'linking');
  const fields: unknown = Reflect.get(gateway, 'credentials') ?? [];
  const isLinkedSo = Array.isArray(linking) && linking.includes('credentials');
  const names = Array.isArray(fields) ? fields.map((field: unknown) => nameOf(field)) : [];
  const areValid =
    Array.isArray(fields) && names.every(isNetworkName) && new Set(names).size === names.length;
  if (!areValid || names.length > CREDENTIALS_MAX || names.length > 0 !== isLinkedSo) return '"credentials"';
  return isLinkedSo && !has(gateway, 'checkCredentials', 'function') ? '"checkCredentials"' : null;
}

function nameOf(field: unknown): unknown {
  return typeof field === 'object' && field !== null ? Reflect.get(field, 'name') : undefined;
}

const MOST_SENDS_AT_ONCE = 1_000;

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MOST_SENDS_AT_ONCE;
}

function wrongGateways(why: string, fix: string): TypeError {
  return new TypeError(`createTrunkline: the option "gateways" is wrong: ${why}. ${fix}`);
}

function isWholeSandbox(value: unknown): boolean {
  return has(value, 'gateway', 'object') && has(value, 'phone', 'function');
}

function has(value: unknown, name: string, type: 'function' | 'object'): boolean {
  if (typeof value !== 'object' && typeof value !== 'function') return false;
  return value !== null && typeof Reflect.get(value, name) === type;
}

const SECRET_KEY_LENGTH = 32;
const HOW_TO_MAKE_ONE =
  'Make one with `openssl rand -base64 32`, keep it outside the database, and give the same one at every start.';

/**
 * The keys of the installation, the first of which seals. Throws a TypeError that says how to make a key, and does not
 * repeat the given keys.
 */
export function checkSecretKeys(
  secretKey: string | readonly (string | undefined)[] | undefined,
): readonly string[] {
  const [first, ...former] = Array.isArray(secretKey) ? (secretKey as readonly unknown[]) : [secretKey];
  if (first === undefined || first === null || first === '') {
    throw new TypeError(`createTrunkline: the option "secretKey" is missing. ${HOW_TO_MAKE_ONE}`);
  }
  // A configuration may still list the variable of a previous key that is no longer set.
  const keys = [first, ...former.filter((key) => key !== undefined && key !== '')];
  return [...new Set(keys.map(checkSecretKey))];
}

function checkSecretKey(key: unknown): string {
  if (typeof key === 'string' && key.length >= SECRET_KEY_LENGTH) return key;
  const why =
    typeof key === 'string'
      ? `one of ${SECRET_KEY_LENGTH} characters at least is needed`
      : `it must be a string, or a list of them, and has a ${typeof key}`;
  throw new TypeError(`createTrunkline: the option "secretKey" is wrong: ${why}. ${HOW_TO_MAKE_ONE}`);
}
