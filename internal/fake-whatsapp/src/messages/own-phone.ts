import { proto } from '@whiskeysockets/baileys';
import type { Network } from '../network.ts';
import { seconds, stanza } from '../stanza.ts';
import { PHONE } from '../directory/contact.ts';
import type { Contact } from '../directory/contact.ts';
import { GroupChat } from '../directory/group-chat.ts';
import type { Companion, LinkedAccount } from '../directory/linked-account.ts';
import { sealFile } from '../media/media-cipher.ts';
import { historyOf } from './history.ts';
import { asPhonesWrite, encNode, encryptFor, newMessageId } from './phone-to-client.ts';

/** Sends the phone's history to a client that was just linked: the first part in its message, the rest as a file. */
export async function sendHistory(network: Network, companion: Companion): Promise<void> {
  const { first, rest } = historyOf(companion.account);
  const { sealed, reference } = await sealFile('md-msg-hist', rest);
  const { directPath } = network.media.putHistory(sealed);
  const parts: readonly proto.Message.IHistorySyncNotification[] = [
    { syncType: INITIAL_BOOTSTRAP, chunkOrder: 1, progress: 100, initialHistBootstrapInlinePayload: first },
    { syncType: RECENT, chunkOrder: 2, progress: 100, directPath, ...reference },
  ];
  for (const historySyncNotification of parts)
    await sendToClient(network, companion, { type: HISTORY_SYNC_NOTIFICATION, historySyncNotification });
}

const { APP_STATE_SYNC_KEY_SHARE, HISTORY_SYNC_NOTIFICATION } = proto.Message.ProtocolMessage.Type;
const { INITIAL_BOOTSTRAP, RECENT } = proto.Message.HistorySyncType;

/** Sends every client the keys of what the account's devices share. */
export async function shareState(network: Network, account: LinkedAccount): Promise<void> {
  account.isStateShared = true;
  const { keyId, keyData } = account.state;
  const fingerprint = { rawId: 1, currentIndex: 0, deviceIndexes: [0] };
  const key = { keyId: { keyId }, keyData: { keyData, fingerprint, timestamp: network.now() } };
  for (const companion of account.reachable)
    await sendToClient(network, companion, {
      type: APP_STATE_SYNC_KEY_SHARE,
      appStateSyncKeyShare: { keys: [key] },
    });
}

/**
 * Sends every client of the account the content of a message that arrived without content, as a phone does on request.
 * Returns the ids of the stanzas.
 */
export function handOn(
  network: Network,
  chat: { readonly account: LinkedAccount; readonly from: Contact; readonly id: string },
  message: proto.IMessage,
): Promise<readonly string[]> {
  const { account, from, id } = chat;
  const key = { remoteJid: from.jidIn('lid'), fromMe: false, id };
  const webMessageInfoBytes = proto.WebMessageInfo.encode({ key, message }).finish();
  const response = {
    type: proto.Message.ProtocolMessage.Type.PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE,
    peerDataOperationRequestResponseMessage: {
      peerDataOperationResult: [{ placeholderMessageResendResponse: { webMessageInfoBytes } }],
    },
  };
  return Promise.all(account.reachable.map((companion) => sendToClient(network, companion, response)));
}

/** Sends a message of the account's phone to only one of its clients. Returns the id of the stanza. */
async function sendToClient(
  network: Network,
  companion: Companion,
  protocolMessage: proto.Message.IProtocolMessage,
): Promise<string> {
  const { account } = companion;
  const id = newMessageId();
  const attrs = { id, t: seconds(network.now()), type: 'protocol', category: 'peer', from: account.jid };
  const enc = encNode(await encryptFor(account.device, companion, { protocolMessage }));
  companion.inbox.put(stanza('message', attrs, [enc]));
  return id;
}

/** Gives every client a copy of a message that the account's owner sent from the phone. Returns the network id. */
export async function mirror(
  network: Network,
  chat: { readonly account: LinkedAccount; readonly to: Contact | GroupChat },
  message: proto.IMessage,
): Promise<string> {
  const { account, to } = chat;
  const id = newMessageId();
  const attrs = { id, t: seconds(network.now()), type: 'text', notify: account.name };
  const { attrs: envelope } = stanza('message', { ...attrs, ...addressed(account, to) });
  const { messageContextInfo, ...written } = asPhonesWrite(account, message, envelope);
  const wrapped = {
    deviceSentMessage: { destinationJid: to.jid, message: written },
    ...(messageContextInfo && { messageContextInfo }),
  };
  account.sent.set(id, { envelope, message: wrapped, respondsToRetry: true, device: PHONE });
  for (const companion of account.reachable) {
    const enc = encNode(await encryptFor(account.device, companion, wrapped));
    companion.inbox.put(stanza('message', envelope, [enc]));
  }
  return id;
}

/** Addresses the chat by LID, and adds the number unless the person hides it. */
function addressed(account: LinkedAccount, to: Contact | GroupChat) {
  if (to instanceof GroupChat) {
    return { from: to.jid, participant: to.jidOf(account), addressing_mode: to.addressing };
  }
  return {
    from: account.jidIn('lid'),
    recipient: to.jidIn('lid'),
    peer_recipient_pn: to.hidesNumber ? undefined : to.jid,
    peer_recipient_username: to.username,
  };
}
