import { getBinaryNodeChild, getBinaryNodeChildren } from '@whiskeysockets/baileys';
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys';
import type { GroupReport } from '@trunkline/core/spi/gateway';
import { storable } from './storable-text.ts';

type Querying = Pick<WASocket, 'query'>;

/**
 * Queries the number's groups without their members, because reading the tens of thousands of members in a big
 * account's groups takes seconds. If the network omits a group's size, queries all groups again with their members.
 */
export async function askForGroups(socket: Querying): Promise<readonly GroupReport[]> {
  const groups = await ask(socket, []);
  if (groups.every((group) => sizeOf(group) !== null)) return groups.map(reportOf);
  return (await ask(socket, [{ tag: 'participants', attrs: {} }])).map(reportOf);
}

async function ask({ query }: Querying, content: BinaryNode[]): Promise<readonly BinaryNode[]> {
  const response: BinaryNode = await query({
    tag: 'iq',
    attrs: { to: '@g.us', xmlns: 'w:g2', type: 'get' },
    content: [{ tag: 'participating', attrs: {}, content }],
  });
  const groups = getBinaryNodeChild(response, 'groups');
  if (!groups) throw new Error('WhatsApp did not say which groups the number is in.');
  return getBinaryNodeChildren(groups, 'group').filter(({ attrs }) => attrs['id']);
}

function sizeOf(group: BinaryNode): number | null {
  const size = Number(group.attrs['size'] || Number.NaN);
  if (Number.isSafeInteger(size) && size >= 0) return size;
  const members = getBinaryNodeChildren(group, 'participant').length;
  return members > 0 ? members : null;
}

function reportOf(group: BinaryNode): GroupReport {
  const { id = '', subject } = group.attrs;
  return {
    networkId: id.includes('@') ? id : `${id}@g.us`,
    name: storable(subject) ?? undefined,
    participantsCount: sizeOf(group) ?? undefined,
  };
}
