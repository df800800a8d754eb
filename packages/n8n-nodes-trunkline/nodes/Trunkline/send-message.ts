import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { isObject } from './api-error.ts';
import { asText } from './as-text.ts';
import { idempotencyKey } from './idempotency-key.ts';
import { idOf, textOf } from './parameters.ts';
import { requestJson } from './request.ts';
import type { ApiRequest } from './request.ts';

export async function sendText(context: IExecuteFunctions, itemIndex: number): Promise<IDataObject> {
  const { mentions } = optionsOf(context, itemIndex);
  const text = textOf(context, 'text', itemIndex);
  return sendJson(context, itemIndex, {
    type: 'text',
    text,
    ...(mentions === undefined ? {} : { mentions }),
  });
}

export async function sendLocation(context: IExecuteFunctions, itemIndex: number): Promise<IDataObject> {
  const [name, address] = ['placeName', 'address'].map((field) => textOf(context, field, itemIndex).trim());
  const payload = {
    latitude: context.getNodeParameter('latitude', itemIndex),
    longitude: context.getNodeParameter('longitude', itemIndex),
    name: name || null,
    address: address || null,
  };
  return sendJson(context, itemIndex, { kind: 'location', payload });
}

export async function sendContact(context: IExecuteFunctions, itemIndex: number): Promise<IDataObject> {
  const name = textOf(context, 'contactName', itemIndex);
  const phoneNumbers = linesOf(context, 'contactNumbers', itemIndex);
  return sendJson(context, itemIndex, {
    kind: 'contact',
    payload: { contacts: [{ name, phone_numbers: phoneNumbers }] },
  });
}

export async function sendPoll(context: IExecuteFunctions, itemIndex: number): Promise<IDataObject> {
  const payload = {
    question: textOf(context, 'question', itemIndex),
    options: linesOf(context, 'pollOptions', itemIndex),
    multiple: context.getNodeParameter('multiple', itemIndex),
  };
  return sendJson(context, itemIndex, { kind: 'poll', payload });
}

/** The lines of a text that are not empty. */
function linesOf(context: IExecuteFunctions, field: string, itemIndex: number): readonly string[] {
  const lines = textOf(context, field, itemIndex).split(/\r?\n/);
  return lines.map((line) => line.trim()).filter((line) => line !== '');
}

function sendJson(context: IExecuteFunctions, itemIndex: number, content: IDataObject): Promise<IDataObject> {
  const { replyTo, sendAt } = optionsOf(context, itemIndex);
  return post(context, itemIndex, {
    body: {
      ...addressOf(context, itemIndex),
      ...content,
      ...(replyTo === undefined ? {} : { reply_to: replyTo }),
      ...(sendAt === undefined ? {} : { send_at: sendAt }),
    },
  });
}

/** The file is in a binary property of the item. */
export async function sendMedia(context: IExecuteFunctions, itemIndex: number): Promise<IDataObject> {
  const property = textOf(context, 'binaryPropertyName', itemIndex);
  const { mimeType, fileName, fileExtension } = context.helpers.assertBinaryData(itemIndex, property);
  const content = await context.helpers.getBinaryDataBuffer(itemIndex, property);
  const {
    replyTo,
    sendAt,
    filename = fileName ?? `file.${fileExtension ?? 'bin'}`,
    voice,
    mentions,
  } = optionsOf(context, itemIndex);
  const type = textOf(context, 'mediaType', itemIndex);
  const caption = textOf(context, 'caption', itemIndex);

  const form = new FormData();
  const { instance, to } = addressOf(context, itemIndex);
  form.append('instance', instance);
  form.append('to', to);
  if (type === 'sticker') form.append('kind', type);
  else form.append('type', type === 'auto' ? typeOf(mimeType) : type);
  if (mentions !== undefined) form.append('mentions', mentions);
  if (caption !== '') form.append('caption', caption);
  if (replyTo !== undefined) form.append('reply_to', replyTo);
  if (sendAt !== undefined) form.append('send_at', sendAt);
  if (voice === 'true') form.append('voice', voice);
  form.append('file', new Blob([new Uint8Array(content)], { type: mimeType }), filename);

  // `Response` encodes the form: n8n supports only another library's forms.
  const encoded = new Response(form);
  return post(context, itemIndex, {
    headers: { 'Content-Type': encoded.headers.get('content-type') ?? '' },
    body: Buffer.from(await encoded.arrayBuffer()),
  });
}

async function post(
  context: IExecuteFunctions,
  itemIndex: number,
  { headers, body }: Required<Pick<ApiRequest, 'body'>> & Pick<ApiRequest, 'headers'>,
): Promise<IDataObject> {
  const { data } = await requestJson(context, {
    method: 'POST',
    path: '/messages',
    headers: { ...headers, 'Idempotency-Key': idempotencyKey(context, itemIndex) },
    body,
    itemIndex,
  });
  return isObject(data) ? data : {};
}

function addressOf(
  context: IExecuteFunctions,
  itemIndex: number,
): { readonly instance: string; readonly to: string } {
  return { instance: idOf(context, 'instance', itemIndex), to: idOf(context, 'to', itemIndex) };
}

interface SendOptions {
  readonly replyTo?: string | undefined;
  readonly sendAt?: string | undefined;
  readonly filename?: string | undefined;
  readonly voice?: string | undefined;
  /** Numbers and ids of contacts, separated by commas. */
  readonly mentions?: string | undefined;
}

function optionsOf(context: IExecuteFunctions, itemIndex: number): SendOptions {
  const options: unknown = context.getNodeParameter('options', itemIndex, {});
  const { replyTo, sendAt, filename, voice, mentions } = isObject(options) ? options : {};
  const given = (value: unknown): string | undefined => asText(value) || undefined;
  return {
    replyTo: given(replyTo),
    sendAt: timeOf(given(sendAt)),
    filename: given(filename),
    voice: given(voice),
    mentions: given(mentions),
  };
}

/** In UTC. A time without a zone, which the editor's control may give, is in the zone of the n8n process. */
function timeOf(sendAt: string | undefined): string | undefined {
  if (sendAt === undefined) return undefined;
  const time = new Date(sendAt);
  return Number.isNaN(time.getTime()) ? sendAt : time.toISOString();
}

/** The message type for a file of this MIME type. The service checks the type against the file's bytes. */
function typeOf(mimeType: string): string {
  const [family = ''] = mimeType.split('/');
  return ['image', 'audio', 'video'].includes(family) ? family : 'document';
}
