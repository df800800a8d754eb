import { base64, fromBase64, fromHex } from '../../domain/base-encoding.ts';
import type { IdRange } from '../../domain/id.ts';
import { idsOfPermutedOrder, permutedOrder } from '../../domain/message/network-id.ts';
import type { Permutation } from '../../domain/message/network-id.ts';
import type { Gateway } from '../../ports/gateway.ts';
import type { Random } from '../../ports/random.ts';
import type { Storage } from '../../ports/storage/storage.ts';

/** What a gateway makes a network id of. */
const GIVEN_BYTES = 16;
const KEY_LENGTH = 16;
/**
 * The key is kept with the messages, and not derived from the `secretKey`: it has to outlive that, and hides the time of
 * a message from those who see its network id and not the database.
 */
const KEY_SETTING = 'network_id_key';

interface NewNetworkId {
  readonly networkId: string;
  /** Whether `idsBehind` leads from it to the message. */
  readonly isReadable: boolean;
}

/**
 * Network ids of outbound messages. An index of random ids costs a page of the disk for each message, so they are made
 * of the message's id, and read again when the network reports on one.
 */
export interface NetworkIds {
  /** Reads the key; the first process on a database makes it. Rejects where it cannot be one. */
  start(): Promise<void>;
  newNetworkId(messageId: string): Promise<NewNetworkId>;
  /** Where the id of the message is, if its network id is readable. */
  idsBehind(networkId: string): Promise<readonly IdRange[]>;
}

interface Parts {
  readonly storage: Storage<unknown>;
  readonly gateway: Gateway;
  readonly random: Random;
}

export function createNetworkIds({ storage, gateway, random }: Parts): NetworkIds {
  let key: Uint8Array | null = null;
  let permutation: Promise<Permutation> | null = null;

  /** Loaded with the first message: the tables of AES, and what makes them, are 5 MB that an idle process does not need. */
  const load = (own: Uint8Array): Promise<Permutation> =>
    (permutation ??= import('../../domain/message/ff1.ts').then(
      ({ createPermutation }) => createPermutation(own),
      (error: unknown) => {
        // As when no file can be opened: the next message tries again.
        permutation = null;
        throw error;
      },
    ));

  return {
    async start() {
      key = await readKey(storage, random);
      permutation = null;
    },
    async newNetworkId(messageId) {
      const permuted = key && permutedOrder(await load(key), messageId);
      const bytes = random.bytes(GIVEN_BYTES);
      if (permuted) bytes.set(permuted);
      const networkId = gateway.newMessageId(bytes);
      return { networkId, isReadable: permuted !== null && readings(networkId).some(isSameAs(permuted)) };
    },
    async idsBehind(networkId) {
      const read = readings(networkId);
      if (key === null || read.length === 0) return [];
      const own = await load(key);
      return read.map((bytes) => idsOfPermutedOrder(own, bytes));
    },
  };
}

/** The first bytes of those that end a network id: of 9, and of 16. */
const ENDINGS = [/([0-9a-f]{18})$/i, /([0-9a-f]{18})[0-9a-f]{14}$/i] as const;

/** What may be the permuted bytes in it. Which of them are, only the stored message tells. */
function readings(networkId: string): readonly Uint8Array[] {
  return ENDINGS.flatMap((ending) => {
    const digits = ending.exec(networkId)?.[1];
    return digits === undefined ? [] : [fromHex(digits)];
  });
}

function isSameAs(bytes: Uint8Array): (other: Uint8Array) => boolean {
  return (other) => other.every((byte, index) => byte === bytes[index]);
}

async function readKey(storage: Storage<unknown>, random: Random): Promise<Uint8Array> {
  const stored = await storage.setting(KEY_SETTING, base64(random.bytes(KEY_LENGTH)));
  const key = fromBase64(stored);
  if (key.length === KEY_LENGTH) return key;
  throw new Error(
    `The setting "${KEY_SETTING}" in the database is damaged: it is not a key of ${KEY_LENGTH} bytes in base64. Restore it from a backup: without it, reports about messages sent earlier cannot be assigned.`,
  );
}
