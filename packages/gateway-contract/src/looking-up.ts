import { describe, expect } from 'vitest';
import type { GatewaySubject } from './contract-subject.ts';
import { linkedFixture } from './fixture.ts';
import { itWith } from './optional.ts';

/** Tests lookups of numbers. */
export function lookingUpContract(subject: GatewaySubject): void {
  describe('looking up numbers', () => {
    itWith(subject, 'lookup')('says of each whether the network has it', async () => {
      const { network, link } = await linkedFixture(subject);
      const { reader, refused } = network.people;
      const { lookUp } = link.connection();
      if (!lookUp) throw new Error('The connection has no method `lookUp`, which its capabilities require.');
      const results = await lookUp([refused, reader]);
      expect(new Map(results.map((result) => [result.number, result]))).toEqual(
        new Map([
          [reader, { number: reader, isOnNetwork: true, registeredNumber: reader }],
          [refused, { number: refused, isOnNetwork: false, registeredNumber: null }],
        ]),
      );
    });
  });
}
