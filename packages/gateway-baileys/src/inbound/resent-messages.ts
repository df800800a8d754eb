import { proto } from '@whiskeysockets/baileys';

const { PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE } = proto.Message.ProtocolMessage.Type;

/** The messages that our own phone sends again because this device got them without their content. */
export function resentIn({ protocolMessage }: proto.IMessage): readonly proto.WebMessageInfo[] {
  if (protocolMessage?.type !== PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE) return [];
  const results = protocolMessage.peerDataOperationRequestResponseMessage?.peerDataOperationResult ?? [];
  return results.flatMap(({ placeholderMessageResendResponse }) => {
    const bytes = placeholderMessageResendResponse?.webMessageInfoBytes;
    return (bytes && decoded(bytes)) ?? [];
  });
}

/** Null if the bytes are not a message; Baileys logs this. */
function decoded(bytes: Uint8Array): proto.WebMessageInfo | null {
  try {
    return proto.WebMessageInfo.decode(bytes);
  } catch {
    return null;
  }
}
