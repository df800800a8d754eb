import { child, children, stanza } from '../stanza.ts';
import type { Network } from '../network.ts';
import type { Stanza } from '../stanza.ts';
import { seconds } from '../stanza.ts';
import type { GroupChat } from '../directory/group-chat.ts';
import { LinkedAccount } from '../directory/linked-account.ts';
import type { Companion } from '../directory/linked-account.ts';

/** Relays a client's message, still encrypted, to the other clients that it is for. */
export function relay(network: Network, sender: Companion, node: Stanza): void {
  const group = network.directory.findGroup(node.attrs['to'] ?? '');
  const shared = children(node).filter(({ tag }) => tag === 'device-identity');
  const forAll = children(node, 'enc').filter(({ attrs }) => attrs['type'] === 'skmsg');

  for (const companion of readers(network, sender, { node, group })) {
    const own = copyFor(companion, node);
    if (own === undefined && forAll.length === 0) continue;
    const attrs = group === undefined ? direct(sender, companion, node) : inGroup(sender, group);
    const { id, type } = node.attrs;
    const content = [...(own === undefined ? [] : [own]), ...forAll, ...shared];
    companion.inbox.put(stanza('message', { id, type, t: seconds(network.now()), ...attrs }, content));
  }
}

interface Addressed {
  readonly node: Stanza;
  readonly group: GroupChat | undefined;
}

function readers(
  { directory }: Network,
  sender: Companion,
  { node, group }: Addressed,
): readonly Companion[] {
  if (group !== undefined) {
    const accounts = [...group.members].filter((member) => member instanceof LinkedAccount);
    return accounts.flatMap(({ reachable }) => reachable).filter((other) => other !== sender);
  }
  const named = children(child(node, 'participants'), 'to').map(({ attrs }) =>
    directory.companionByJid(attrs['jid'] ?? ''),
  );
  return named.filter((companion) => companion !== undefined);
}

function copyFor(companion: Companion, node: Stanza): Stanza | undefined {
  const { participant } = node.attrs;
  if (participant !== undefined)
    return [companion.jid, companion.lidJid].includes(participant) ? child(node, 'enc') : undefined;
  const to = children(child(node, 'participants'), 'to').find(
    ({ attrs }) => attrs['jid'] === companion.jid || attrs['jid'] === companion.lidJid,
  );
  return to === undefined ? undefined : child(to, 'enc');
}

function direct(sender: Companion, reader: Companion, node: Stanza) {
  const isOwn = reader.account === sender.account;
  const recipient = isOwn ? node.attrs['to'] : undefined;
  return { from: sender.lidJid, sender_pn: sender.jid, notify: sender.account.name, recipient };
}

function inGroup(sender: Companion, group: GroupChat) {
  const other =
    group.addressing === 'pn' ? { participant_lid: sender.lidJid } : { participant_pn: sender.jid };
  return {
    from: group.jid,
    participant: group.jidOf(sender.account, sender.device),
    addressing_mode: group.addressing,
    notify: sender.account.name,
    ...other,
  };
}
