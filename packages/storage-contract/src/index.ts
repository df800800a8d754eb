export { describeStorageContract } from './storage-contract.ts';
export type {
  Capability,
  ContractSubject,
  TestDatabase,
  TestProcess,
  TestTransaction,
} from './contract-subject.ts';
export { startHolding } from './start-holding.ts';
export { describeMediaStoreContract } from './media-store-contract.ts';
export type { MediaPlace, MediaStoreSubject } from './media-store-contract.ts';
