/** A person's present vote in a poll. */
export interface Vote {
  /** A later vote of the person has another id. */
  readonly id: string;
  readonly workspaceId: string;
  readonly messageId: string;
  /** The person; null if the instance voted. */
  readonly contactId: string | null;
  /** The chosen answers, as the poll has them; empty if the vote was taken back. */
  readonly options: readonly string[];
  /** When the person voted, by the network's clock, in epoch milliseconds. A later vote replaces an earlier one. */
  readonly votedAt: number;
}

/** Whether a vote changes nothing: a stored one of the same person is newer, or the same. */
export function isOutdatedVote(vote: Vote, stored: Vote): boolean {
  if (stored.votedAt !== vote.votedAt) return stored.votedAt > vote.votedAt;
  return JSON.stringify(stored.options) === JSON.stringify(vote.options);
}
