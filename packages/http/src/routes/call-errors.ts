import type { ErrorCode } from '@trunkline/core';

/** The errors of requests to the open connection of an instance. */
export const CALL_ERRORS: readonly ErrorCode[] = [
  'INSTANCE_NOT_CONNECTED',
  'UNSUPPORTED_MESSAGE_TYPE',
  'SUBSCRIPTION_REQUIRED',
  'SUBSCRIPTION_PAST_DUE',
  'GATEWAY_ERROR',
  'GATEWAY_UNAVAILABLE',
];

/** The errors of questions about a group. */
export const GROUP_QUESTION_ERRORS: readonly ErrorCode[] = [...CALL_ERRORS, 'GROUP_CHANGE_REFUSED'];

/** The errors of changes of a group. */
export const GROUP_CHANGE_ERRORS: readonly ErrorCode[] = [...GROUP_QUESTION_ERRORS, 'OUTCOME_UNKNOWN'];
