import { randomBytes } from 'node:crypto';
import { aesDecryptGCM, aesEncryptGCM, extractMessageContent, hkdf, proto } from '@whiskeysockets/baileys';
import type { Connection } from '../connection/connection.ts';
import { bytesOf, child, seconds, stanza } from '../stanza.ts';
import type { Stanza } from '../stanza.ts';

const { SUCCESS, NOT_FOUND } = proto.MediaRetryNotification.ResultType;

/** A client that could not download a file asks the phone of its own account for the file. */
export function onMediaRetry(connection: Connection, receipt: Stanza): void {
  const { client, network } = connection;
  const { chronicle, directory, disturbances, media } = network;
  const { id = '' } = receipt.attrs;
  const rmr = child(receipt, 'rmr');
  const author = directory.byJid(rmr?.attrs['participant'] ?? rmr?.attrs['jid'] ?? '');
  const file = mediaIn(author?.sent.get(id)?.message);
  if (!rmr || !file?.mediaKey) {
    chronicle.problems.push(`a client asks for the file of ${id}, which has none`);
    return;
  }
  const key = hkdf(Buffer.from(file.mediaKey), 32, { info: 'WhatsApp Media Retry Notification' });
  const request = child(receipt, 'encrypt');
  const asked =
    request && aesDecryptGCM(bytesOf(request, 'enc_p'), key, bytesOf(request, 'enc_iv'), Buffer.from(id));
  if (!asked || proto.ServerErrorReceipt.decode(asked).stanzaId !== id)
    chronicle.problems.push(`a client asks for the file of ${id} in the name of another message`);

  disturbances.mediaRetry(client.account.phoneNumber, (how) => {
    if (how === 'silent') return;
    const name = Buffer.from(file.fileEncSha256 ?? []).toString('base64url');
    const directPath = how === 'upload' ? media.putAgain(name) : null;
    const result = directPath === null ? NOT_FOUND : SUCCESS;
    const response = { stanzaId: id, result, ...(directPath !== null && { directPath }) };
    const iv = randomBytes(12);
    const sealed = aesEncryptGCM(
      proto.MediaRetryNotification.encode(response).finish(),
      key,
      iv,
      Buffer.from(id),
    );
    const said =
      how === 'error'
        ? stanza('error', { code: '2' })
        : stanza('encrypt', {}, [stanza('enc_p', {}, sealed), stanza('enc_iv', {}, iv)]);
    const attrs = { id, type: 'mediaretry', from: client.account.jid, t: seconds(network.now()) };
    connection.send(stanza('notification', attrs, [said, stanza('rmr', rmr.attrs)]));
  });
}

function mediaIn(message: proto.IMessage | undefined) {
  const content = extractMessageContent(message);
  const { imageMessage, videoMessage, audioMessage, documentMessage, stickerMessage, ptvMessage } =
    content ?? {};
  return (
    imageMessage ??
    videoMessage ??
    audioMessage ??
    documentMessage ??
    stickerMessage ??
    ptvMessage ??
    undefined
  );
}
