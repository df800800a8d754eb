import { withDeadline } from '@trunkline/core/spi/gateway';
import type { GatewayContext } from '@trunkline/core/spi/gateway';
import { DEFAULT_CONNECTION_CONFIG } from '@whiskeysockets/baileys';
import type { WAVersion } from '@whiskeysockets/baileys';
import type { InstanceNetwork } from './network/instance-network.ts';
import { briefly } from './socket/status-code.ts';

const MINUTE = 60_000;
/** An answer of web.whatsapp.com counts as current for this long. */
const ANSWER_MS: number = 10 * MINUTE;
const AFTER_FAILURE_MS = MINUTE;
const DAY_MS: number = 24 * 60 * MINUTE;
const LOOKUP_MS = 15_000;

/** A version of WhatsApp Web, and when it was the current one, in epoch milliseconds. */
export interface LearnedVersion {
  readonly version: WAVersion;
  readonly learnedAt: number;
}

interface NextConnection {
  readonly isLinking: boolean;
  /** The version that the instance has stored. */
  readonly stored: LearnedVersion | null;
  readonly network: InstanceNetwork;
}

/** The versions of WhatsApp Web that a process may report. All instances share them. */
export interface ClientVersions {
  /**
   * Returns the version for a connection; null for Baileys' own. A new number waits for the current version, because
   * WhatsApp refuses to link old clients without an error. Linked numbers do not wait: their lookup, once a day, is for
   * the connections that follow.
   */
  choose(next: NextConnection): Promise<LearnedVersion | null>;
  /**
   * Returns the newest version that is known, for a number that stays connected. Looks it up if the last answer is a day
   * old. Null for Baileys' own.
   */
  current(network: InstanceNetwork): Promise<LearnedVersion | null>;
  /**
   * Looks up the current version after the network refused `version`. Returns null if there is another version to
   * connect with now, otherwise the time in milliseconds until the next lookup.
   */
  refused(version: WAVersion | null, network: InstanceNetwork): Promise<number | null>;
}

export function clientVersions(
  askForCurrent: (network: InstanceNetwork) => Promise<WAVersion>,
  context: () => GatewayContext,
): ClientVersions {
  let known: LearnedVersion | null = null;
  /** When `known` was learned, by `clock.elapsed()`. */
  let learnedAt = -Infinity;
  let nextLookupAt = -Infinity;
  let lookup: Promise<void> | null = null;
  let hasFailed = false;
  const refusedVersions = new Set<string>();
  let reported = '';

  const isRefused = (): boolean => refusedVersions.has(nameOf(known?.version ?? null));
  const mayLookUp = (): boolean => lookup !== null || context().clock.elapsed() >= nextLookupAt;

  /** Concurrent calls share one lookup. */
  const lookUp = (network: InstanceNetwork): Promise<void> => {
    lookup ??= ask(network).finally(() => (lookup = null));
    return lookup;
  };

  const ask = async (network: InstanceNetwork): Promise<void> => {
    const { clock, logger } = context();
    try {
      const what = 'The lookup of the current version';
      const version = await withDeadline(clock, { what, ms: LOOKUP_MS }, askForCurrent(network));
      checkVersion(version);
      known = { version, learnedAt: clock.now() };
      learnedAt = clock.elapsed();
      nextLookupAt = learnedAt + ANSWER_MS;
      hasFailed = false;
    } catch (error) {
      nextLookupAt = clock.elapsed() + AFTER_FAILURE_MS;
      if (!hasFailed) logger.warn({ reason: briefly(error) }, LOOKUP_FAILED);
      hasFailed = true;
    }
  };

  /** Takes over the version that an earlier process or another one has learned, unless Baileys has a newer one. */
  const adopt = (stored: LearnedVersion): void => {
    const isNews = known
      ? stored.learnedAt > known.learnedAt
      : isNewer(stored.version, DEFAULT_CONNECTION_CONFIG.version);
    if (!isNews) return;
    const { clock } = context();
    known = stored;
    learnedAt = clock.elapsed() - Math.max(0, clock.now() - stored.learnedAt);
  };

  return {
    async choose({ isLinking, stored, network }) {
      if (stored) adopt(stored);
      const age = context().clock.elapsed() - learnedAt;
      if (isLinking ? age >= ANSWER_MS : isRefused() && mayLookUp()) await lookUp(network);
      else if (age >= DAY_MS && mayLookUp()) void lookUp(network);
      return known;
    },
    async current(network) {
      if (context().clock.elapsed() - learnedAt >= DAY_MS && mayLookUp()) await lookUp(network);
      return known;
    },
    async refused(version, network) {
      const { clock, logger } = context();
      refusedVersions.add(nameOf(version));
      if (isRefused() && mayLookUp()) await lookUp(network);
      if (!isRefused()) return null;
      const current = nameOf(known?.version ?? null);
      if (!hasFailed && reported !== current) {
        reported = current;
        logger.error({ version: current }, CURRENT_REFUSED);
      }
      return Math.max(0, nextLookupAt - clock.elapsed());
    },
  };
}

const LOOKUP_FAILED =
  'the current version of WhatsApp Web could not be looked up, and WhatsApp links no phone to an old one: let this machine reach https://web.whatsapp.com/, or give baileysGateway the option "currentVersion"';
const CURRENT_REFUSED =
  'WhatsApp refuses the current version of WhatsApp Web: the numbers connect as soon as a newer one is found, which is looked up every ten minutes; if it takes longer than an hour, install a newer @trunkline/gateway-baileys';

function checkVersion(version: WAVersion): void {
  const isValid =
    Array.isArray(version) &&
    version.length === 3 &&
    version.every((part) => Number.isSafeInteger(part) && part >= 0);
  if (!isValid)
    throw new TypeError(
      'The option "currentVersion" of baileysGateway returned no version: it must be three numbers, such as [2, 3000, 1023223821].',
    );
}

function isNewer(version: WAVersion, other: WAVersion): boolean {
  const differing = version.findIndex((part, index) => part !== other[index]);
  return (version[differing] ?? 0) > (other[differing] ?? 0);
}

/** Null is Baileys' own version. */
function nameOf(version: WAVersion | null): string {
  return (version ?? DEFAULT_CONNECTION_CONFIG.version).join('.');
}
