import type { proto } from '@whiskeysockets/baileys';

/** A message with buttons, a list or a form, read from any of the protocol's types for such messages. */
export interface InteractiveMessage {
  readonly text: string | null | undefined;
  readonly buttons: readonly Button[];
  /** May contain a picture, video or document, which is shown above the text. */
  readonly header: Pick<proto.IMessage, 'imageMessage' | 'videoMessage' | 'documentMessage'> | null;
}

interface Button {
  readonly id: string | null | undefined;
  readonly title: string | null | undefined;
}

/** Returns null if the message is not interactive. */
export function interactiveIn(message: proto.IMessage): InteractiveMessage | null {
  const { buttonsMessage, listMessage, interactiveMessage, highlyStructuredMessage } = message;
  const templateMessage = message.templateMessage ?? highlyStructuredMessage?.hydratedHsm;
  if (buttonsMessage) {
    const buttons = (buttonsMessage.buttons ?? []).map(({ buttonId, buttonText }) => ({
      id: buttonId,
      title: buttonText?.displayText,
    }));
    return { text: buttonsMessage.contentText || buttonsMessage.text, buttons, header: buttonsMessage };
  }
  if (listMessage) return listIn(listMessage);
  if (templateMessage) return templateIn(templateMessage);
  if (interactiveMessage) return newerIn(interactiveMessage);
  return highlyStructuredMessage
    ? { text: highlyStructuredMessage.elementName, buttons: [], header: null }
    : null;
}

function listIn({ title, description, sections }: proto.Message.IListMessage): InteractiveMessage {
  const rows = (sections ?? []).flatMap((section) => section.rows ?? []);
  return {
    text: [title, description].filter(Boolean).join('\n'),
    buttons: rows.map((row) => ({ id: row.rowId, title: row.title })),
    header: null,
  };
}

function templateIn(message: proto.Message.ITemplateMessage): InteractiveMessage {
  const { interactiveMessageTemplate, fourRowTemplate } = message;
  const template = message.hydratedFourRowTemplate ?? message.hydratedTemplate;
  if (template) {
    const buttons = (template.hydratedButtons ?? []).map(
      ({ quickReplyButton, urlButton, callButton }): Button => ({
        id: quickReplyButton?.id ?? urlButton?.url ?? callButton?.phoneNumber,
        title: (quickReplyButton ?? urlButton ?? callButton)?.displayText,
      }),
    );
    const text = [template.hydratedTitleText, template.hydratedContentText].filter(Boolean).join('\n');
    return { text, buttons, header: template };
  }
  if (interactiveMessageTemplate) return newerIn(interactiveMessageTemplate);
  return { text: fourRowTemplate?.content?.elementName, buttons: [], header: fourRowTemplate ?? null };
}

function newerIn(message: proto.Message.IInteractiveMessage): InteractiveMessage {
  const { body, header, nativeFlowMessage } = message;
  return {
    text: [header?.title, body?.text].filter(Boolean).join('\n'),
    buttons: (nativeFlowMessage?.buttons ?? []).map(({ name, buttonParamsJson }) =>
      flowButton(name, buttonParamsJson),
    ),
    header: header ?? null,
  };
}

/** Reads parameters such as `{"display_text":"Track","id":"track-1"}`, but the sender may write anything. */
function flowButton(name: string | null | undefined, params: string | null | undefined): Button {
  const { id, title } = namesIn(params);
  return { id: id ?? name, title: title ?? name };
}

function namesIn(params: string | null | undefined): { readonly id?: string; readonly title?: string } {
  try {
    const values: unknown = JSON.parse(params ?? '');
    if (typeof values !== 'object' || values === null) return {};
    const { id, display_text: title } = Object.fromEntries(Object.entries(values));
    return { ...(typeof id === 'string' && { id }), ...(typeof title === 'string' && { title }) };
  } catch {
    return {};
  }
}
