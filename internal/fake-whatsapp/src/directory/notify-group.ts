import type { Network } from '../network.ts';
import { seconds, stanza } from '../stanza.ts';
import type { Stanza } from '../stanza.ts';
import type { Contact } from './contact.ts';
import type { GroupChat } from './group-chat.ts';
import { LinkedAccount } from './linked-account.ts';

/** Notifies every linked member of a change; by default, as if the first member had made it. */
export function notify(
  network: Network,
  group: GroupChat,
  change: Stanza,
  author: Contact | undefined = [...group.members][0],
): void {
  const attrs = {
    id: network.newStanzaId(),
    type: 'w:gp2',
    from: group.jid,
    participant: author === undefined ? undefined : group.jidOf(author),
    participant_pn: author?.hidesNumber === false ? author.jid : undefined,
    t: seconds(network.now()),
    addressing_mode: group.addressing,
  };
  for (const member of group.members) {
    if (!(member instanceof LinkedAccount)) continue;
    for (const { inbox } of member.companions.values()) inbox.put(stanza('notification', attrs, [change]));
  }
}
