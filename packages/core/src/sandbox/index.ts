export { createSandbox } from './sandbox.ts';
export type {
  Sandbox,
  SandboxCall,
  SandboxDeed,
  SandboxEcho,
  SandboxFile,
  SandboxMessage,
  SandboxOptions,
  SandboxPhone,
  SandboxUndecryptable,
} from './sandbox.ts';
export type { AcceptedAction, AcceptedMessage, SandboxTyping } from './network-account.ts';
export type {
  AcceptedFile,
  ActivityOn,
  InboundFile,
  InboundMessage,
  NetworkActivity,
  NetworkJournal,
  NetworkMessage,
  NetworkRecord,
  SandboxAction,
} from './network-record.ts';
export type { SandboxPerson } from './person.ts';
