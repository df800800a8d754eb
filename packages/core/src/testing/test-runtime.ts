// Load these modules up front, because a manual clock does not wait for a module to load.
import '#file-type';
import 'mime';
import '../domain/message/ff1.ts';
import { nodeCrypto } from '../node/crypto.ts';
import type { Crypto } from '../ports/crypto.ts';
import type { DnsResolver } from '../ports/dns-resolver.ts';
import type { Random } from '../ports/random.ts';
import { manualClock } from './manual-clock.ts';
import type { ManualClock } from './manual-clock.ts';
import { memoryMediaStore } from './memory-media-store.ts';
import { recordingSender } from './recording-sender.ts';
import type { RecordingSender } from './recording-sender.ts';
import { seededRandom } from './seeded-random.ts';

/** The runtime parts of `createTrunkline` for tests: a manual clock, repeatable randomness, no network. */
export interface TestRuntime {
  /** A clock that stands still until a test moves it. */
  readonly clock: ManualClock;
  /** Random bytes that follow from the seed. */
  readonly random: Random;
  /** Real hashes, key derivation and encryption. */
  readonly crypto: Crypto;
  /** Every name resolves to one public address. */
  readonly dns: DnsResolver;
  /** Records webhooks and sends none. */
  readonly webhookSender: RecordingSender;
  /** Keeps files in memory. */
  readonly media: ReturnType<typeof memoryMediaStore>;
}

/** A runtime for tests that uses no network, no files and no real time. */
export function testRuntime({
  seed = 1,
}: {
  /** The seed of the random bytes. Default 1. */
  readonly seed?: number;
} = {}): TestRuntime {
  return {
    clock: manualClock(),
    random: seededRandom(seed),
    crypto: nodeCrypto(),
    dns: { resolve: async () => ['93.184.215.14'] },
    webhookSender: recordingSender(),
    media: memoryMediaStore(),
  };
}
