import type { Contact } from '../../domain/contact/contact.ts';
import type { Vote } from '../../domain/message/vote.ts';
import type { Page, PageRequest } from './page.ts';

/** A vote with the person, whose contact may have been merged into another one since. */
export interface CastVote extends Vote {
  /** Null if the instance voted. */
  readonly contact: Contact | null;
}

/**
 * The votes in polls, the newest of each person, which `ActivityStore.record` stores. Whatever deletes a message or a
 * contact deletes its votes, and so does a deletion for everyone.
 */
export interface VoteStore {
  /** The votes in a poll, newest first. */
  list(workspaceId: string, messageId: string, page: PageRequest): Promise<Page<CastVote>>;
  /** All votes of these people, in the order of their ids. */
  listOfPeople(workspaceId: string, contactIds: readonly string[]): Promise<readonly Vote[]>;
}
