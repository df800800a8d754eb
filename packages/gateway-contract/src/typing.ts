import { TYPING_STATES } from '@trunkline/core/spi/gateway';
import type { ChatAddress, TypingState } from '@trunkline/core/spi/gateway';
import { eventually } from '@trunkline/test-support';
import { describe, expect } from 'vitest';
import type { GatewaySubject } from './contract-subject.ts';
import { linkedFixture } from './fixture.ts';
import { itWith } from './optional.ts';
import type { TestLink } from './test-link.ts';

/** Tests that chats are shown what the instance does. */
export function typingContract(subject: GatewaySubject): void {
  const itTypes = itWith(subject, 'typing');
  describe('typing', () => {
    itTypes('is shown to a person whom the number knows, in each state', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      const from = network.people.reader;
      await phone.receive({ from, text: 'Are you there?' });
      const { message } = await link.first('message');
      const chat = { to: from, isGroup: false, contactNetworkId: message.senderId };
      for (const state of TYPING_STATES) await show(link, chat, state);
      const shown = TYPING_STATES.map((state) => ({ to: from, state }));
      await eventually(() => expect(phone.typing?.()).toEqual(shown));
    });

    itWith(
      subject,
      'typing',
      'groups',
    )('is shown to a group', async () => {
      const { link, phone } = await linkedFixture(subject);
      const to = await phone.addGroup('Neighbours');
      await link.first('groups', ({ groups }) => groups.some(({ networkId }) => networkId === to));
      await show(link, { to, isGroup: true }, 'recording');
      await eventually(() => expect(phone.typing?.()).toEqual([{ to, state: 'recording' }]));
    });

    itTypes('of a number that the network would have to look up is no failure', async () => {
      const { network, link } = await linkedFixture(subject);
      await show(link, { to: network.people.refused, isGroup: false }, 'typing');
    });
  });
}

async function show(link: TestLink, chat: ChatAddress, state: TypingState): Promise<void> {
  const { showTyping } = link.connection();
  if (!showTyping)
    throw new Error('The connection has no method `showTyping`, which its capabilities require.');
  await showTyping(chat, state);
}
