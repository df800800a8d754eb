// The exports for gateways: the port to a messaging network. Unlike the names of `@trunkline/core`, these
// names may change with a minor version.
export type {
  Activity,
  ActivityOnMessage,
  ClosedReason,
  CredentialField,
  Credentials,
  CredentialsCheck,
  Gateway,
  GatewayConnection,
  GatewayContext,
  GatewayListener,
  GroupsExtent,
  IncomingContent,
  IncomingFile,
  IncomingMessage,
  LinkMethod,
  LinkPreview,
  LinkedProfile,
  MessageReceipt,
  OpenOptions,
  UnlinkOptions,
  MessageOnNetwork,
  OutgoingAction,
  OutgoingContent,
  OutgoingDetail,
  OutgoingFile,
  OutgoingMention,
  OutgoingMessage,
  PersonOnNetwork,
  QuotedMessage,
  SendOutcome,
  Session,
  SessionNamesPage,
} from '../ports/gateway.ts';
export { TYPING_STATES } from '../domain/instance/instance-call.ts';
export type { ChatAddress } from '../domain/instance/chat-address.ts';
export type { TypingState } from '../domain/instance/instance-call.ts';
export type { NumberLookup } from '../domain/instance/number-lookup.ts';
export type { Capability } from '../domain/instance/instance.ts';
export { PACE_NAMES, PACES } from '../domain/instance/pace.ts';
export type { Pace, PaceName } from '../domain/instance/pace.ts';
export type {
  PasskeyAnswer,
  PasskeyCredential,
  PasskeyDescriptor,
  PasskeyRequestOptions,
  PasskeyStep,
} from '../domain/instance/passkey.ts';
export type { ContactReport } from '../domain/contact/contact.ts';
export type {
  GroupAnswer,
  GroupChange,
  GroupDescription,
  GroupMember,
  GroupOutcome,
  GroupQuestion,
  GroupRefusal,
  GroupRequest,
  GroupRole,
  JoinDecision,
  JoinRequest,
  ParticipantChange,
  ParticipantOutcome,
  ParticipantResult,
} from '../domain/instance/group-request.ts';
export type { GroupReport } from '../domain/instance/group.ts';
export type { Restriction } from '../domain/instance/restriction.ts';
export type { MessageError } from '../domain/message/message.ts';
export { MAX_REFERENCE_BYTES } from '../domain/message/download-retry.ts';
export { numbersOnCard } from '../domain/message/contact-card.ts';
export { LARGEST_MEDIA_SIZE } from '../domain/message/media-rules.ts';
export type { MediaType } from '../domain/message/media-rules.ts';

// The kinds of messages.
export { CAPABILITIES, kindText } from '../services/message-kinds/message-kinds.ts';
export type { MessageKindAndPayload } from '@trunkline/receiver';

// Waits that use the gateway's clock.
export { pause, withDeadline } from '../runtime/deadline.ts';

// The parts that core hands to a gateway in `attach`.
export type { Clock } from '../ports/clock.ts';
export type { Logger } from '../ports/logger.ts';
export type { Random } from '../ports/random.ts';
