export { describeGatewayContract } from './gateway-contract.ts';
export type {
  ActedOnNetwork,
  GatewaySubject,
  OptionalFeature,
  SentToNetwork,
  TestActivities,
  TestNetwork,
  TestPasskey,
  TestPhone,
  TypingOnNetwork,
} from './contract-subject.ts';
export { openLink } from './test-link.ts';
export type { LinkOptions, Report, TestLink } from './test-link.ts';
export { FILES } from './files.ts';
export { memorySession } from './memory-session.ts';
export type { MemorySession } from './memory-session.ts';
