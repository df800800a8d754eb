export { describeStorageContract } from './storage-contract.ts';
export type { Capability, ContractSubject, TestDatabase, TestTransaction } from './contract-subject.ts';
export { describeMediaStoreContract } from './media-store-contract.ts';
export type { MediaPlace, MediaStoreSubject } from './media-store-contract.ts';
