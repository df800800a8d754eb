import type { MessageStanding, StandingCode } from '../domain/message/message-standing.ts';
import { timestamp } from './time.ts';

/** The progress of a message. Not in the API specification, but added by Trunkline. */
export interface MessageStandingResource {
  /** How far the message has come, for programs. */
  readonly code: StandingCode;
  /** When this state began; ISO 8601 with an offset. */
  readonly since: string;
  /** One or two sentences for a person, with times in UTC. */
  readonly sentence: string;
}

export function messageStandingResource({ code, since, sentence }: MessageStanding): MessageStandingResource {
  return { code, since: timestamp(since), sentence };
}
