export { createClient } from './create-client.ts';
export type { ClientOptions } from './client-options.ts';
export type { ApiError, CallResult, ClientErrorCode, Failure, Success } from './call-result.ts';
export type { CallOptions } from './remote-api.ts';
export type { CreatedGroup } from './instances.ts';
export type { Acted, MediaFile, SendFileInput, SendStickerFileInput, Sent } from './messages.ts';
export type { SendOptions } from './request-once.ts';
export type { RemoteEvent, StreamResult } from './events.ts';
export type { DeliveryPage } from './webhooks.ts';
export type { TrunklineClient } from './create-client.ts';
// An alternative to checking `ok`: `unwrap` returns successes and throws failures.
export { ClientError, isClientError, unwrap } from './call-result.ts';

// The types that calls take and return, so that one import is enough.
export type {
  ActionQuery,
  ApiKeyResource,
  ChatMessageResource,
  ChatQuery,
  ChatResource,
  DeliveryDetailResource,
  DeliveryQuery,
  DeliveryResource,
  EditInput,
  ErrorCode,
  EventPageQuery,
  EventQuery,
  EventStreamQuery,
  GroupResource,
  HistoryQuery,
  InstanceInput,
  InstanceHistoryResource,
  InstanceResource,
  MediaType,
  MessageActionResource,
  VoteQuery,
  VoteResource,
  MessageQuery,
  MessageResource,
  MessageStandingResource,
  ListResult,
  GroupDetailResource,
  GroupInput,
  GroupInviteResource,
  GroupParticipantResource,
  GroupPersonResource,
  JoinDecisionInput,
  JoinedGroupResource,
  JoinGroupInput,
  JoinRequestResource,
  LookupInput,
  NetworkResource,
  NewInstanceInput,
  NewGroupInput,
  NewGroupResource,
  NumberLookupResource,
  ParticipantOutcomeName,
  ParticipantResultResource,
  ParticipantsInput,
  PageResult,
  PasskeyAnswerInput,
  PasskeyResource,
  QrResource,
  ReactionInput,
  SecretRotation,
  ContactCardInput,
  SendContactInput,
  SendLocationInput,
  SendPollInput,
  SendTextInput,
  StandingCode,
  TypingInput,
  WebhookChanges,
  WebhookInput,
  WebhookList,
  WebhookResource,
  WebhookResourceWithSecret,
} from '@trunkline/core';
