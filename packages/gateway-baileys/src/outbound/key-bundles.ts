import {
  S_WHATSAPP_NET,
  getBinaryNodeChild,
  getBinaryNodeChildBuffer,
  getBinaryNodeChildUInt,
  getBinaryNodeChildren,
  isLidUser,
  parseAndInjectE2ESessions,
} from '@whiskeysockets/baileys';
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys';

/** The keys with which sessions to devices can be started, as the network handed them out. */
type KeyBundles = BinaryNode;

/**
 * Queries keys for these devices. A device for which the network hands out no keys, or unusable ones, is left out, as
 * in whatsmeow's `prekeys.go`: Baileys would reject the keys of all others with them. Rejects if the query fails.
 */
export async function queryKeys(socket: WASocket, devices: readonly string[]): Promise<KeyBundles> {
  const { lidMapping } = socket.signalRepository;
  const numbers = devices.filter((device) => !isLidUser(device));
  const pairs = numbers.length === 0 ? [] : ((await lidMapping.getLIDsForPNs(numbers)) ?? []);
  const named = [...devices.filter((device) => isLidUser(device)), ...pairs.map(({ lid }) => lid)];
  if (named.length === 0) return { tag: 'iq', attrs: {}, content: [] };
  const users = named.map((jid) => ({ tag: 'user', attrs: { jid, reason: 'identity' } }));
  const response: BinaryNode | undefined = await socket.query({
    tag: 'iq',
    attrs: { xmlns: 'encrypt', type: 'get', to: S_WHATSAPP_NET },
    content: [{ tag: 'key', attrs: {}, content: users }],
  });
  // Baileys returns nothing if there was no response in time.
  if (!response) throw new Error('WhatsApp did not hand out the keys of devices in time.');
  const list = getBinaryNodeChild(response, 'list');
  const usable = getBinaryNodeChildren(list, 'user').filter(isUsable);
  return { ...response, content: [{ tag: 'list', attrs: {}, content: usable }] };
}

/** Starts a session with each device whose keys were handed out. Replaces existing sessions. */
export async function startSessions(socket: WASocket, bundles: KeyBundles): Promise<void> {
  if (getBinaryNodeChild(bundles, 'list')) await parseAndInjectE2ESessions(bundles, socket.signalRepository);
}

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

function isUsable(user: BinaryNode): boolean {
  if (getBinaryNodeChild(user, 'error')) return false;
  const [signed, oneTime] = [getBinaryNodeChild(user, 'skey'), getBinaryNodeChild(user, 'key')];
  return (
    getBinaryNodeChildUInt(user, 'registration', 4) !== undefined &&
    getBinaryNodeChildBuffer(user, 'identity')?.length === KEY_BYTES &&
    signed !== undefined &&
    hasKey(signed) &&
    getBinaryNodeChildBuffer(signed, 'signature')?.length === SIGNATURE_BYTES &&
    (oneTime === undefined || hasKey(oneTime))
  );
}

function hasKey(node: BinaryNode): boolean {
  return (
    getBinaryNodeChildUInt(node, 'id', 3) !== undefined &&
    getBinaryNodeChildBuffer(node, 'value')?.length === KEY_BYTES
  );
}
