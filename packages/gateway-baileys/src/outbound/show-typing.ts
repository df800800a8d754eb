import type { ChatAddress, TypingState } from '@trunkline/core/spi/gateway';
import { knownAddresses } from './recipients.ts';
import type { Search } from './recipients.ts';

const STATES = {
  typing: 'composing',
  recording: 'recording',
  paused: 'paused',
} as const satisfies Record<TypingState, string>;

/** Shows a chat what the number is doing. Makes no query, so that no loop of these can ask WhatsApp about people. */
export async function showTyping(search: Search, chat: ChatAddress, state: TypingState): Promise<void> {
  const jid = chat.isGroup ? chat.to : (await knownAddresses(search, chat))?.jid;
  if (jid !== undefined) await search.socket.sendPresenceUpdate(STATES[state], jid);
}
