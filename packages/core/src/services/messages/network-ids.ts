import { base64, fromBase64, fromHex, hex } from '../../domain/base-encoding.ts';
import type { IdRange } from '../../domain/id.ts';
import { idsOfPermutedOrder, PERMUTED_LENGTH, permutedOrder } from '../../domain/message/network-id.ts';
import type { Permutation } from '../../domain/message/network-id.ts';
import type { Gateway } from '../../ports/gateway.ts';
import type { Random } from '../../ports/random.ts';
import type { Storage } from '../../ports/storage/storage.ts';

/** How many bytes a network id is made of. */
const GIVEN_BYTES = 16;
const KEY_LENGTH = 16;
const KEY_FORM = /^[A-Za-z0-9+/]{22}==$/;
/**
 * The setting with the key of network ids. It is kept with the messages and not derived from the `secretKey`, because
 * it has to outlive the `secretKey`. The key hides the time of a message from anyone who sees its network id but not
 * the database. Previous keys may follow, separated by spaces, to decode the ids made with them.
 */
const KEY_SETTING = 'network_id_key';

interface NewNetworkId {
  readonly networkId: string;
  /** Whether `idsBehind` can decode the network id. */
  readonly isReadable: boolean;
}

/**
 * Network ids of outbound messages. An index of random ids costs a disk page per message, so network ids are
 * derived from message ids, and decoded when the network reports on a message.
 */
export interface NetworkIds {
  /** Reads the keys; the first process on a database creates the first key. Rejects if a key is malformed. */
  start(): Promise<void>;
  newNetworkId(messageId: string, gateway: Pick<Gateway, 'newMessageId'>): Promise<NewNetworkId>;
  /** Ranges of the ids that the message may have; empty if the network id does not have the form of a readable one. */
  idsBehind(networkId: string): Promise<readonly IdRange[]>;
}

interface Parts {
  readonly storage: Storage<unknown>;
  readonly random: Random;
}

export function createNetworkIds({ storage, random }: Parts): NetworkIds {
  /** Empty before the start. New ids are made with the first key. */
  let keys: readonly Uint8Array[] = [];
  let permutations: Promise<readonly Permutation[]> | null = null;

  /** Loaded with the first message, because an idle process needs neither AES nor its tables. */
  const load = (): Promise<readonly Permutation[]> =>
    (permutations ??= import('../../domain/message/ff1.ts').then(
      ({ createPermutation }) => keys.map(createPermutation),
      (error: unknown) => {
        // Loading may fail if no file can be opened. The next message then tries again.
        permutations = null;
        throw error;
      },
    ));

  return {
    async start() {
      keys = await readKeys(storage, random);
      permutations = null;
    },
    async newNetworkId(messageId, gateway) {
      const [permutation] = await load();
      const permuted = permutation ? permutedOrder(permutation, messageId) : null;
      const bytes = random.bytes(GIVEN_BYTES);
      if (permuted) bytes.set(permuted);
      const networkId = gateway.newMessageId(bytes);
      return { networkId, isReadable: permuted !== null && hasReading(networkId, hex(permuted)) };
    },
    async idsBehind(networkId) {
      const read = readings(networkId).map(fromHex);
      if (read.length === 0) return [];
      const all = await load();
      return read.flatMap((bytes) => all.map((permutation) => idsOfPermutedOrder(permutation, bytes)));
    },
  };
}

/**
 * The numbers of hex digits that a readable network id may end in: for 9 bytes, or for 16 bytes of which the first 9
 * count.
 */
const ENDINGS = [2 * PERMUTED_LENGTH, 2 * GIVEN_BYTES] as const;
const DIGITS = /^[0-9a-f]+$/u;

/** Returns the digits that may be the permuted bytes. Only the stored message shows which candidate is right. */
function readings(networkId: string): readonly string[] {
  const text = networkId.toLowerCase();
  return ENDINGS.flatMap((length) => {
    const ending = text.slice(-length);
    return ending.length === length && DIGITS.test(ending) ? [ending.slice(0, 2 * PERMUTED_LENGTH)] : [];
  });
}

/** Whether `readings` returns these digits. Each message asks this, so it makes no list. */
function hasReading(networkId: string, digits: string): boolean {
  const text = networkId.toLowerCase();
  return ENDINGS.some((length) => {
    const start = text.length - length;
    return start >= 0 && text.startsWith(digits, start) && DIGITS.test(text.slice(start));
  });
}

async function readKeys(storage: Storage<unknown>, random: Random): Promise<readonly Uint8Array[]> {
  const stored = await storage.setting(KEY_SETTING, base64(random.bytes(KEY_LENGTH)));
  const keys = stored.split(' ');
  if (keys.every((key) => KEY_FORM.test(key))) return keys.map(fromBase64);
  throw new Error(
    `The setting "${KEY_SETTING}" in the database is damaged: it does not hold keys of ${KEY_LENGTH} bytes in base64. Restore it from a backup: without it, reports about messages sent earlier cannot be assigned.`,
  );
}
