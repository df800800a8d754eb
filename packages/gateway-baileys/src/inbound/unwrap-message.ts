import type { proto } from '@whiskeysockets/baileys';

/** A message without its wrappers, such as those of a disappearing message or of an edit. */
export interface UnwrappedMessage {
  readonly message: proto.IMessage;
  /** The message's references, such as the message that it replies to. */
  readonly context: proto.IContextInfo | null;
  /** The message to which this message belongs: for a picture in HD, its small copy. */
  readonly association: proto.IMessageAssociation | null;
}

/** Each wrapper contains the message in its field `message`. */
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

/** Deeper than any app nests wrappers. A stranger could nest more. */
const DEEPEST = 5;

/** Returns null if there is no message, or if it is in more wrappers than any app uses. */
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

/** Every type of content that can reply to a message has `contextInfo`. */
function contextOf(message: proto.IMessage): proto.IContextInfo | null {
  for (const content of Object.values(message)) {
    if (typeof content !== 'object' || content === null || !('contextInfo' in content)) continue;
    // All fields with this name have the same type in the protocol.
    if (content.contextInfo) return content.contextInfo as proto.IContextInfo;
  }
  return null;
}
