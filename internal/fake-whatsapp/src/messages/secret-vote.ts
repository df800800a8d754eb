import { createHash } from 'node:crypto';
import { jidNormalizedUser, proto } from '@whiskeysockets/baileys';
import { seal } from './secret-seal.ts';

/** A vote before the phone encrypts it, with the secret of its poll. */
export function ballot({
  to,
  secret,
  options,
  at,
}: {
  readonly to: proto.IMessageKey;
  readonly secret: Uint8Array;
  readonly options: readonly string[];
  readonly at: number;
}): proto.IMessage {
  const selectedOptions = options.map((option) => createHash('sha256').update(option).digest());
  const encPayload = proto.Message.PollVoteMessage.encode({ selectedOptions }).finish();
  return {
    messageContextInfo: { messageSecret: secret },
    pollUpdateMessage: { pollCreationMessageKey: to, vote: { encPayload }, senderTimestampMs: at },
  };
}

/** Encrypts a vote, as the phone of the voter does. */
export function sealVote(
  { messageContextInfo, pollUpdateMessage }: proto.IMessage,
  voter: string,
): proto.IMessage {
  const { pollCreationMessageKey: key, vote } = pollUpdateMessage ?? {};
  const sender = jidNormalizedUser(voter);
  const author = key?.participant ?? (key?.fromMe ? sender : key?.remoteJid) ?? '';
  const sealed = seal(vote?.encPayload ?? new Uint8Array(), {
    purpose: 'Poll Vote',
    id: key?.id ?? '',
    author: jidNormalizedUser(author),
    secret: messageContextInfo?.messageSecret ?? new Uint8Array(),
    sender,
  });
  return { pollUpdateMessage: { ...pollUpdateMessage, vote: sealed } };
}
