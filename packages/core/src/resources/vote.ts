import type { WebhookVote } from '@trunkline/receiver';
import type { CastVote } from '../ports/storage/vote-store.ts';
import { contactResource } from './message.ts';
import { timestamp } from './time.ts';

/** A person's present vote in a poll, in the REST API and in `message.poll_voted`. */
export type VoteResource = WebhookVote;

export function voteResource({ options, contactId, contact, votedAt }: CastVote): VoteResource {
  return {
    options,
    contact: contact && contactResource(contact),
    own: contactId === null,
    at: timestamp(votedAt),
  };
}
