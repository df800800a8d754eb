import { describe } from 'vitest';
import { capabilitiesContract } from './capabilities.ts';
import type { GatewaySubject } from './contract-subject.ts';
import { endingContract } from './ending.ts';
import { linkingContract } from './linking.ts';
import { receivingContract } from './receiving.ts';
import { sendingContract } from './sending.ts';

/** What makes a gateway one: call it in a test file of the gateway's own package. */
export function describeGatewayContract(subject: GatewaySubject): void {
  describe(`${subject.name} gateway`, () => {
    capabilitiesContract(subject);
    linkingContract(subject);
    sendingContract(subject);
    receivingContract(subject);
    endingContract(subject);
  });
}
