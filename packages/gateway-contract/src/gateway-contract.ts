import { blockingContract } from './blocking.ts';
import { describe } from 'vitest';
import { actingContract } from './acting.ts';
import { activitiesContract } from './activities.ts';
import { capabilitiesContract } from './capabilities.ts';
import type { GatewaySubject } from './contract-subject.ts';
import { endingContract } from './ending.ts';
import { linkingContract } from './linking.ts';
import { lookingUpContract } from './looking-up.ts';
import { managingGroupsContract } from './managing-groups.ts';
import { receivingContract } from './receiving.ts';
import { sendingContract } from './sending.ts';
import { sendingKindsContract } from './sending-kinds.ts';
import { typingContract } from './typing.ts';

/** Defines the tests that every gateway has to pass. Call it in a test file of the gateway's package. */
export function describeGatewayContract(subject: GatewaySubject): void {
  describe(`${subject.name} gateway`, () => {
    capabilitiesContract(subject);
    linkingContract(subject);
    sendingContract(subject);
    sendingKindsContract(subject);
    actingContract(subject);
    typingContract(subject);
    blockingContract(subject);
    lookingUpContract(subject);
    managingGroupsContract(subject);
    receivingContract(subject);
    activitiesContract(subject);
    endingContract(subject);
  });
}
