// The exports for APIs in front of the service, such as `@trunkline/http`, in addition to the operations of
// `@trunkline/core`. An app that only calls the operations does not need them. Unlike the names of
// `@trunkline/core`, these names may change with a minor version.

// Refusals, which are values inside the service and are thrown at its edge.
export { refuse } from '../domain/result.ts';
export type { Result } from '../domain/result.ts';
export { invalid } from '../inputs/read-input.ts';
export { unwrap } from '../trunkline-error.ts';
export { ERROR_CODES, ERROR_STATUS } from '../domain/error-code.ts';
export { isUnavailable } from '../ports/unavailable-error.ts';
export { consoleLogger } from '../ports/logger.ts';

// Permissions.
export { checkScope, checkSuspension } from '../domain/api-key/authorization.ts';
export { isInstallableToken } from '../domain/api-key/api-key-token.ts';
export { apiKeyResource } from '../resources/api-key.ts';
export { keyResource, memberResource, workspaceResource } from '../resources/administration.ts';
export type { KeyResource, MemberResource, WorkspaceResource } from '../resources/administration.ts';
export { timestamp, timestampOrNull } from '../resources/time.ts';

// The schemas that check the input of callers. The description of the API is made from these schemas.
export {
  connectInput,
  historyQuery,
  instanceInput,
  lookupInput,
  newInstanceInput,
  passkeyAnswerInput,
  typingInput,
} from '../inputs/instances.ts';
export {
  groupInput,
  joinDecisionInput,
  joinGroupInput,
  newGroupInput,
  participantsInput,
} from '../inputs/groups.ts';
export { eventPageQuery, eventQuery, eventStreamQuery } from '../inputs/events.ts';
export { deliveryQuery, secretRotation, webhookChanges, webhookInput } from '../inputs/webhooks.ts';
export { chatQuery } from '../inputs/chats.ts';
export { trafficPeriodQuery, trafficQuery, webhookTrafficQuery } from '../inputs/traffic.ts';
export { optionalField } from '../inputs/fields.ts';
export { STANDINGS } from '../domain/message/message-standing.ts';
export { actionQuery, editInput, reactionInput, voteQuery } from '../inputs/message-actions.ts';
export { messageInput, messageQuery, scheduledQuery } from '../inputs/messages.ts';
export { flawInHostEntry } from '../domain/endpoint/host-list.ts';
export { idPattern, isId } from '../domain/id.ts';
export { parsePhoneNumber } from '../domain/message/recipient.ts';
export { LARGEST_MEDIA_SIZE, MEDIA_TYPES, requestedMediaType } from '../domain/message/media-rules.ts';

// Traces.
export { readTraceparent, sampledTraceparent } from '../domain/traceparent.ts';

// Webhook contents.
export { signedHeaders } from '../services/signed-headers.ts';
export { WEBHOOK_USER_AGENT } from '../resources/webhook.ts';
export type { EventData } from '../resources/event.ts';
export type { EventType } from '../domain/event/event.ts';
export {
  DELIVERY_HEADER,
  EVENT_HEADER,
  SIGNATURE_HEADER,
  STANDARD_ID_HEADER,
  STANDARD_SIGNATURE_HEADER,
  STANDARD_TIMESTAMP_HEADER,
  TIMESTAMP_HEADER,
} from '@trunkline/receiver';

// The closed lists of values.
export type { IdPrefix } from '../domain/id.ts';
export {
  EVENT_MEANINGS,
  EVENT_TYPES,
  NAMEABLE_EVENT_TYPES,
  OPT_IN_EVENT_MEANINGS,
} from '../domain/event/event.ts';
export { SCOPES } from '../domain/api-key/api-key.ts';
export { DELIVERY_STATUSES } from '../domain/delivery/delivery.ts';
export { GROUP_ROLES } from '../domain/instance/group-request.ts';
export { PARTICIPANT_OUTCOMES } from '../resources/group.ts';
export { INSTANCE_STATUSES } from '../domain/instance/instance.ts';
export { PACE_NAMES } from '../domain/instance/pace.ts';
export { HISTORY_REASONS } from '../domain/instance/instance-history.ts';
export { TRAFFIC_STEPS } from '../domain/traffic/traffic.ts';
export { WAITING_REASONS } from '../domain/delivery/waiting.ts';
export { ACTION_KINDS, ACTION_STATUSES } from '../domain/message/message-action.ts';
export { MESSAGE_DIRECTIONS, MESSAGE_STATUSES, MESSAGE_TYPES } from '../domain/message/message.ts';
export {
  CAPABILITIES,
  KIND_RULES,
  MESSAGE_KINDS,
  messageDetail,
  SENDABLE_KINDS,
} from '../services/message-kinds/message-kinds.ts';
export type { MessageKind, MessageKindAndPayload, MessagePayload } from '@trunkline/receiver';
