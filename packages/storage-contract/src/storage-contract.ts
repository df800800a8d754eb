import { describe } from 'vitest';
import { acceptanceContract } from './acceptance.ts';
import { apiKeyContract } from './api-keys.ts';
import { closingContract } from './closings.ts';
import { completionContract } from './completions.ts';
import type { ContractSubject } from './contract-subject.ts';
import { copyContract } from './copies.ts';
import { deliveryLogContract } from './delivery-log.ts';
import { durabilityContract } from './durability.ts';
import { endpointContract } from './endpoints.ts';
import { fanOutContract } from './fan-out.ts';
import { groupContract } from './groups.ts';
import { instanceContract } from './instances.ts';
import { laneContract } from './lanes.ts';
import { leaseContract } from './leases.ts';
import { mediaContract } from './media.ts';
import { messageChangeContract } from './message-changes.ts';
import { messageLogContract } from './message-log.ts';
import { messageQueueContract } from './message-queue.ts';
import { modelContract } from './model/model-contract.ts';
import { noticeContract } from './notices.ts';
import { retentionContract } from './retention.ts';
import { retryContract } from './retries.ts';
import { sessionContract } from './sessions.ts';
import { settingContract } from './settings.ts';
import { signalContract } from './signals.ts';
import { workspaceContract } from './workspaces.ts';

/** What makes a storage one: call it in a test file of the storage's own package. */
export function describeStorageContract(subject: ContractSubject): void {
  describe(`${subject.name} storage`, () => {
    workspaceContract(subject);
    apiKeyContract(subject);
    instanceContract(subject);
    leaseContract(subject);
    sessionContract(subject);
    groupContract(subject);
    acceptanceContract(subject);
    messageQueueContract(subject);
    messageChangeContract(subject);
    messageLogContract(subject);
    mediaContract(subject);
    endpointContract(subject);
    noticeContract(subject);
    fanOutContract(subject);
    laneContract(subject);
    completionContract(subject);
    closingContract(subject);
    retryContract(subject);
    deliveryLogContract(subject);
    retentionContract(subject);
    settingContract(subject);
    signalContract(subject);
    copyContract(subject);
    durabilityContract(subject);
    modelContract(subject);
  });
}
