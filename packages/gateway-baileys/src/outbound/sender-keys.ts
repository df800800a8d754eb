import type { SignalKeyStoreWithTransaction } from '@whiskeysockets/baileys';
import { keyName } from '../session/signal-keys.ts';

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

/**
 * Runs work that sends the key to all devices that lack it, except these. Must run in a transaction. Baileys would take
 * a device to which it could not send the key for one that has it, and fails if there is no other to send it to.
 */
export async function keepingFrom(
  devices: readonly string[],
  { keys, group }: { readonly keys: Keys; readonly group: string },
  work: () => Promise<unknown>,
): Promise<void> {
  const before = await holdersOf(keys, group);
  const lacking = new Set(devices.filter((device) => !before[device]));
  const marked = { ...before, ...Object.fromEntries([...lacking].map((device) => [device, true])) };
  await keys.set({ [TYPE]: { [group]: marked } });
  await work();
  await forgetHolders(keys, group, (device) => lacking.has(device));
}

/** Forgets that these devices have our key in the group, so that the next message brings it. */
export async function forgetHolders(
  keys: Keys,
  group: string,
  isForgotten: (device: string) => boolean,
): Promise<void> {
  const kept = Object.entries(await holdersOf(keys, group)).filter(([device]) => !isForgotten(device));
  await keys.set({ [TYPE]: { [group]: Object.fromEntries(kept) } });
}
