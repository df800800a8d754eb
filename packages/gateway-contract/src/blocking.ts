import { describe, expect } from 'vitest';
import type { GatewaySubject } from './contract-subject.ts';
import { linkedFixture } from './fixture.ts';
import { itWith } from './optional.ts';

/** Tests that people are blocked, and no longer. */
export function blockingContract(subject: GatewaySubject): void {
  describe('blocking', () => {
    itWith(subject, 'block')(
      'keeps a person who wrote away until the block ends, however often it is asked',
      async () => {
        const { network, link, phone } = await linkedFixture(subject);
        const { reader, refused } = network.people;
        await phone.receive({ from: reader, text: 'Buy this!' });
        const { message } = await link.first('message');
        const { setBlocked } = link.connection();
        if (!setBlocked)
          throw new Error('The connection has no method `setBlocked`, which its capabilities require.');
        const person = { to: reader, isGroup: false, contactNetworkId: message.senderId };
        for (const isBlocked of [true, true, false, false]) {
          await setBlocked(person, isBlocked);
          expect(phone.blocked?.()).toEqual(isBlocked ? [reader] : []);
        }
        expect(phone.blocked?.()).not.toContain(refused);
      },
    );
  });
}
