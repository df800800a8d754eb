import type { SignalKeyStoreWithTransaction } from '@whiskeysockets/baileys';
import { keyName } from '../session/key-name.ts';

/** The type of Baileys' lists of the devices that have the key to our messages in a group. */
const TYPE = 'sender-key-memory';
/** The prefix of the names of the stored lists; a group's JID follows. */
export const GROUPS_WITH_HOLDERS: string = keyName(TYPE, '');

type Keys = Pick<SignalKeyStoreWithTransaction, 'get' | 'set'>;
type Holders = Readonly<Record<string, boolean>>;

/** The devices that have got our key in this group. */
export async function holdersOf(keys: Keys, group: string): Promise<Holders> {
  const { [group]: holders = {} } = await keys.get(TYPE, [group]);
  return holders;
}

/** Runs work while nothing else may change the list of devices that have our key in the group. */
export function withHolders<Result>(
  { transaction }: Pick<SignalKeyStoreWithTransaction, 'transaction'>,
  group: string,
  work: () => Promise<Result>,
): Promise<Result> {
  return transaction(work, TYPE + group);
}

/** Notes that these devices have got our key in the group. Must run within `withHolders`. */
export async function addHolders(keys: Keys, group: string, devices: ReadonlySet<string>): Promise<void> {
  if (devices.size === 0) return;
  const added = Object.fromEntries([...devices].map((device) => [device, true]));
  await keys.set({ [TYPE]: { [group]: { ...(await holdersOf(keys, group)), ...added } } });
}

/**
 * Forgets that these devices have our key in the group, so that the next message brings it. Must run within
 * `withHolders`.
 */
export async function forgetHolders(
  keys: Keys,
  group: string,
  isForgotten: (device: string) => boolean,
): Promise<void> {
  const kept = Object.entries(await holdersOf(keys, group)).filter(([device]) => !isForgotten(device));
  await keys.set({ [TYPE]: { [group]: Object.fromEntries(kept) } });
}
