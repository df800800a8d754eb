import { useQuery } from '@tanstack/react-query';
import type { MessageResource } from '@trunkline/http/client';
import { useMemo } from 'react';
import { groupsQuery } from '../../api/lists.ts';
import { digitsOf } from '../../domain/digits-of.ts';
import { counterpartName } from '../../domain/message-status.ts';
import { nameText } from '../../domain/name-text.ts';
import { phoneText } from '../../domain/phone-text.ts';
import { useTexts } from '../../texts/language.tsx';
import { chatName, isChatWith, threadName } from './names.ts';
import { chatList, newestReceivedQuery } from './queries.ts';
import type { ChatAddress } from './queries.ts';
import { stretchQuery } from './stretch-query.ts';

/** The person or the group of a chat, who has one name everywhere. */
export interface Counterpart {
  readonly name: string;
  readonly isGroup: boolean;
  /** Such as `+15550100`; null in a group, and while the network hides it. */
  readonly phone: string | null;
  /** `con_…`; null in a group, and if only the number is known. */
  readonly contactId: string | null;
  /** The ids and numbers by which the person is known. */
  readonly known: ReadonlySet<string>;
}

/**
 * Takes the name from the list of chats, from the messages, or from the newest message that the person has sent, which
 * may be older than those.
 */
export function useCounterpart(address: ChatAddress, messages: readonly MessageResource[]): Counterpart {
  const t = useTexts('chats');
  const { workspaceId, instanceId, counterpart } = address;
  const isGroup = counterpart.startsWith('grp_');
  const chats = useQuery(stretchQuery(chatList(workspaceId, instanceId))).data?.rows;
  const chat = chats?.find((each) => isChatWith(each, counterpart));
  const groups = useQuery({ ...groupsQuery(workspaceId, instanceId), enabled: isGroup }).data;
  const named = messages.find(({ contact }) => nameText(contact?.name) !== null)?.contact;
  const found = nameText(chat?.name) ?? nameText(named?.name);
  const mayAsk = !isGroup && found === null && messages.length > 0;
  const received = useQuery({ ...newestReceivedQuery(address), enabled: mayAsk }).data;
  return useMemo(() => {
    if (isGroup) {
      const group = groups?.find(({ id }) => id === counterpart);
      const name = nameText(group?.name) ?? found ?? t.group;
      return { name, isGroup, phone: null, contactId: null, known: new Set([counterpart]) };
    }
    const contact =
      chat?.contact ?? messages.find((each) => each.contact !== null)?.contact ?? received?.contact ?? null;
    const number = chat?.phone_number ?? contact?.phone_number ?? digitsOf(counterpart);
    const name = found ?? nameText(received?.contact?.name) ?? (chat && chatName(chat));
    const known = [counterpart, number, contact?.id, ...(contact?.dialled_numbers ?? [])];
    return {
      name: name ?? threadName(counterpart, messages),
      isGroup,
      phone: number === null ? null : phoneText(number),
      contactId: contact?.id ?? null,
      known: new Set(known.filter((each) => each !== null && each !== undefined)),
    };
  }, [isGroup, groups, counterpart, found, chat, messages, received, t]);
}

/** The author of a message: the name of the chat's person, so that one person has one name. Null if it is not known. */
export function writerOf(message: MessageResource, { name, isGroup }: Counterpart): string | null {
  return isGroup ? counterpartName(message) : name;
}
