import { proto } from '@whiskeysockets/baileys';

/**
 * A vote whose content was decrypted, in the form of the network's own messages, in which arrivals are stored: without
 * `encIv`, and with the texts of the answers in place of their digests.
 */
export function withAnswers(
  update: proto.Message.IPollUpdateMessage,
  answers: readonly string[],
): proto.Message.IPollUpdateMessage {
  const selectedOptions = answers.map((answer) => Buffer.from(answer));
  const encPayload = proto.Message.PollVoteMessage.encode({ selectedOptions }).finish();
  return { ...update, vote: { encPayload } };
}

/** The answers of a vote in that form; null for any other. */
export function openedVote({ vote }: proto.Message.IPollUpdateMessage): readonly string[] | null {
  if (!vote?.encPayload || vote.encIv?.length) return null;
  const content = selectionIn(vote.encPayload);
  return content && content.map((answer) => Buffer.from(answer).toString());
}

/** The digests or answers that a decrypted vote selects; null if it cannot be read. */
export function selectionIn(bytes: Uint8Array): readonly Uint8Array[] | null {
  try {
    return proto.Message.PollVoteMessage.decode(bytes).selectedOptions;
  } catch {
    return null;
  }
}
