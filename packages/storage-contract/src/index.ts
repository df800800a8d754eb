export { describeStorageContract } from './storage-contract.ts';
export type { Capability, ContractSubject, TestDatabase } from './contract-subject.ts';
