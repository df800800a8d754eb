import type { proto } from '@whiskeysockets/baileys';

/** A message without its wrappers, such as those of a message that disappears or one sent from an album. */
export interface UnwrappedMessage {
  readonly message: proto.IMessage;
  /** The references of the message, above all to the one that it replies to. */
  readonly context: proto.IContextInfo | null;
  /** The message that it belongs to, such as the small copy of a picture in HD. */
  readonly association: proto.IMessageAssociation | null;
}

/** Each wrapper has the message itself in its own field `message`. */
const WRAPPERS = [
  'ephemeralMessage',
  'viewOnceMessage',
  'viewOnceMessageV2',
  'viewOnceMessageV2Extension',
  'documentWithCaptionMessage',
  'editedMessage',
  'associatedChildMessage',
  'groupStatusMessage',
  'groupStatusMessageV2',
  'groupMentionedMessage',
  'botInvokeMessage',
  'botForwardedMessage',
  'lottieStickerMessage',
  'pollCreationMessageV4',
  'questionMessage',
] as const satisfies readonly (keyof proto.IMessage)[];

/** No app wraps deeper, but a stranger could. */
const DEEPEST = 5;

/** Null if it holds no message, or only below more wrappers than any app uses. */
export function unwrapMessage(message: proto.IMessage | null | undefined): UnwrappedMessage | null {
  let inner = message;
  let association: proto.IMessageAssociation | null = null;
  for (let depth = 0; inner; depth += 1) {
    association = inner.messageContextInfo?.messageAssociation ?? association;
    const wrapped = wrapperIn(inner);
    if (!wrapped) return { message: inner, context: contextOf(inner), association };
    if (depth === DEEPEST) return null;
    inner = wrapped.message;
  }
  return null;
}

function wrapperIn(message: proto.IMessage): proto.Message.IFutureProofMessage | null {
  for (const name of WRAPPERS) {
    const wrapper = message[name];
    if (wrapper) return wrapper;
  }
  return null;
}

/** Every kind of content that can reply to a message has this field. */
function contextOf(message: proto.IMessage): proto.IContextInfo | null {
  for (const content of Object.values(message)) {
    if (typeof content !== 'object' || content === null || !('contextInfo' in content)) continue;
    // The only field of this name in the protocol, so a sender's value is decoded by its definition.
    if (content.contextInfo) return content.contextInfo as proto.IContextInfo;
  }
  return null;
}
