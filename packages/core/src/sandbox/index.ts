export { createSandbox } from './sandbox.ts';
export type { Sandbox, SandboxFile, SandboxMessage, SandboxOptions, SandboxPhone } from './sandbox.ts';
export type { AcceptedMessage } from './network-account.ts';
export type {
  AcceptedFile,
  InboundFile,
  InboundMessage,
  NetworkJournal,
  NetworkRecord,
} from './network-record.ts';
