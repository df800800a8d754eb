import { createHash } from 'node:crypto';
import { jidDecode } from '@whiskeysockets/baileys';
import type { Connection } from '../connection/connection.ts';
import { HOSTED } from '../directory/contact.ts';
import type { AddressingMode, Contact } from '../directory/contact.ts';
import { LinkedAccount } from '../directory/linked-account.ts';
import type { Stanza } from '../stanza.ts';

/**
 * The hash of the devices that a message should have been for, which the network's acknowledgement has: those of the
 * person and of the sender, or of a group's members, without the devices of businesses on the Cloud API. Undefined for a
 * copy for one device, and for a message to a group without a hash. whatsmeow's `send.go` compares it with its own
 * (`SendMessage`, `participantListHashV2`, `prepareMessageNode`).
 */
export function expectedHash(connection: Connection, node: Stanza): string | undefined {
  const hash = hashFor(connection, node);
  return hash !== undefined && connection.network.disturbances.hashesWrongly ? WRONG : hash;
}

function hashFor({ client, network }: Connection, { attrs }: Stanza): string | undefined {
  const { to = '', participant, phash } = attrs;
  const group = network.directory.findGroup(to);
  if (group !== undefined) {
    if (phash === undefined || participant !== undefined) return undefined;
    return hashOf([...group.members], group.addressing, { withHosted: false });
  }
  const contact = network.directory.byJid(to);
  const { server, device } = jidDecode(to) ?? {};
  if (contact === undefined || device !== undefined || attrs['device_fanout'] === 'false') return undefined;
  const people = new Set([contact, client.account]);
  return hashOf([...people], server === 'lid' ? 'lid' : 'pn', { withHosted: true });
}

const WRONG = '2:AAAAAAAA';

function hashOf(
  people: readonly Contact[],
  addressing: AddressingMode,
  { withHosted }: { readonly withHosted: boolean },
): string {
  const names = people.flatMap((person) =>
    devicesOf(person)
      .filter((device) => withHosted || device !== HOSTED)
      .map((device) => {
        const { user = '', server = '' } = jidDecode(person.jidIn(addressing, device)) ?? {};
        return `${user}.0:${String(device)}@${server}`;
      }),
  );
  const digest = createHash('sha256').update(names.sort().join('')).digest();
  return `2:${digest.subarray(0, 6).toString('base64')}`;
}

function devicesOf(person: Contact): readonly number[] {
  if (!(person instanceof LinkedAccount)) return person.devices;
  return [...person.devices, ...person.reachable.map(({ device }) => device)];
}
