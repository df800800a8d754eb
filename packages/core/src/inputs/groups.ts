import * as z from 'zod';
import {
  GROUP_DESCRIPTION_MAX,
  GROUP_NAME_MAX,
  GROUP_PARTICIPANTS_MAX,
  JOIN_DECISIONS,
  PARTICIPANT_CHANGES,
} from '../domain/instance/group-request.ts';
import type { JoinDecision, ParticipantChange } from '../domain/instance/group-request.ts';
import { optionalField, storableText } from './fields.ts';

const name = z
  .string()
  .transform((given) => given.trim())
  .pipe(storableText(1, GROUP_NAME_MAX));
const description = storableText(0, GROUP_DESCRIPTION_MAX).nullable();
const participants = z.array(z.string()).min(1).max(GROUP_PARTICIPANTS_MAX);

/** A new group. */
export type NewGroupInput = {
  /** 1 to 100 characters; white space around them is removed. Networks may allow fewer. */
  readonly name: string;
  /** 1 to 50 phone numbers, formatted or not, or ids of contacts. */
  readonly participants: readonly string[];
};
export const newGroupInput: z.ZodType<NewGroupInput, unknown> = z.object({ name, participants });

/** The fields of a group to change: at least one of them. */
export type GroupInput = {
  /** 1 to 100 characters; white space around them is removed. Networks may allow fewer. */
  readonly name?: string | null | undefined;
  /** At most 2,048 characters; null or empty to remove it. */
  readonly description?: string | null | undefined;
};
export const groupInput: z.ZodType<
  { readonly name?: string | undefined; readonly description?: string | null | undefined },
  unknown
> = z
  .object({ name: optionalField(name), description: description.optional() })
  .superRefine((given, context) => {
    if (given.name === undefined && given.description === undefined)
      context.addIssue({ code: 'custom', path: ['name'], message: 'Is required, or a description.' });
  })
  .meta({ minProperties: 1 });

/** A change of people in a group. */
export type ParticipantsInput = {
  /** `add`, `remove`, `promote` to an admin, or `demote`. */
  readonly change: ParticipantChange;
  /** 1 to 50 phone numbers, formatted or not, or ids of contacts. */
  readonly participants: readonly string[];
};
export const participantsInput: z.ZodType<ParticipantsInput, unknown> = z.object({
  change: z.enum(PARTICIPANT_CHANGES),
  participants,
});

/** A decision about people who ask to be let into a group. */
export type JoinDecisionInput = {
  /** `approve` or `reject`. */
  readonly decision: JoinDecision;
  /** 1 to 50 phone numbers, formatted or not, or ids of contacts. */
  readonly participants: readonly string[];
};
export const joinDecisionInput: z.ZodType<JoinDecisionInput, unknown> = z.object({
  decision: z.enum(JOIN_DECISIONS),
  participants,
});

/** An invitation to a group. */
export type JoinGroupInput = {
  /** The link, or the code in it. */
  readonly invite: string;
};
export const joinGroupInput: z.ZodType<JoinGroupInput, unknown> = z.object({ invite: storableText(1, 500) });
