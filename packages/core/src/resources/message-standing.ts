import type { MessageStanding, StandingCode } from '../domain/message/message-standing.ts';
import { timestamp, timestampOrNull } from './time.ts';

/** The progress of a message. Not in the API specification, but added by Trunkline. */
export interface MessageStandingResource {
  /** How far the message has come, for programs. */
  readonly code: StandingCode;
  /** When this state began; ISO 8601 with an offset. */
  readonly since: string;
  /** When the wait ends at the earliest, ISO 8601 with an offset; null if not known, or if the message does not wait. */
  readonly until: string | null;
  /** One to three sentences for a person, with times in UTC. */
  readonly sentence: string;
}

export function messageStandingResource({
  code,
  since,
  until,
  sentence,
}: MessageStanding): MessageStandingResource {
  return { code, since: timestamp(since), until: timestampOrNull(until), sentence };
}
