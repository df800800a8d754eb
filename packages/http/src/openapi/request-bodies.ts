import {
  connectInput,
  instanceInput,
  mediaFields,
  MESSAGE_TYPES,
  messageInput,
  textInput,
  webhookChanges,
  webhookInput,
} from '@trunkline/core';
import type { oas31 } from 'zod-openapi';
import type { BodyName } from '../routes/route.ts';
import { inputSchema, merged } from './input-schema.ts';
import type { JsonSchema } from './input-schema.ts';

const SENDER: JsonSchema = { description: 'The id of the instance that sends.' };
const RECIPIENT: JsonSchema = { description: 'A phone number, formatted or not, or the id of a group.' };
const URL_RULES: JsonSchema = {
  description: 'https, on port 443 or 8443, of a host that has public addresses only.',
  maxLength: 2048,
};

/** What a body of each name looks like: from the schemas that check it, with what only sentences can say. */
export const INPUT_SCHEMAS: Readonly<Record<BodyName | 'MediaMessageInput', JsonSchema>> = {
  InstanceInput: described(inputSchema(instanceInput), {
    name: {
      minLength: 1,
      description: 'At most 100 characters; white space around it is removed. By default a name is made.',
    },
  }),
  ConnectInput: described(inputSchema(connectInput), {
    pairing_phone_number: {
      description:
        'The phone that is to type a code instead of scanning the QR. The code stands in the QR answer as pairing_code.',
    },
  }),
  MessageInput: described(merged(inputSchema(messageInput), inputSchema(textInput)), {
    instance: SENDER,
    to: RECIPIENT,
    type: { const: 'text' },
    text: { description: 'At least one character is not white space.' },
  }),
  MediaMessageInput: described(mediaForm(), {
    instance: SENDER,
    to: RECIPIENT,
    type: { enum: MESSAGE_TYPES.filter((type) => type !== 'text') },
    file: {
      description:
        'Its type is read from its first bytes. At most 5 MB for an image, 16 MB for audio and video, 100 MB for a document.',
    },
    filename: {
      description: 'What the recipient sees; by default the name that the file came with, or one is made.',
    },
  }),
  WebhookInput: described(inputSchema(webhookInput), {
    url: URL_RULES,
  }),
  WebhookChanges: described(inputSchema(webhookChanges), {
    url: URL_RULES,
    description: { description: 'Null clears it.' },
  }),
};

const INPUT_EXAMPLES: Readonly<Record<BodyName, object>> = {
  InstanceInput: { name: 'Support' },
  ConnectInput: { pairing_phone_number: '+1 (555) 010-1234' },
  MessageInput: {
    instance: 'ins_01kaj2p9v6e8gr5d0mz7q4xw1c',
    to: '+1 (555) 010-1234',
    type: 'text',
    text: 'Your order is on its way.',
  },
  WebhookInput: {
    url: 'https://hooks.example.com/in',
    events: ['message.received', 'message.failed'],
    description: 'Orders',
  },
  WebhookChanges: { status: 'disabled' },
};

export function requestBody(
  name: BodyName,
  { takesForm }: { readonly takesForm: boolean },
): oas31.RequestBodyObject {
  const { required = [] } = INPUT_SCHEMAS[name];
  return {
    required: required.length > 0,
    content: {
      'application/json': { schema: reference(name), example: INPUT_EXAMPLES[name] },
      ...(takesForm && { 'multipart/form-data': { schema: reference('MediaMessageInput') } }),
    },
  };
}

function reference(name: string): oas31.ReferenceObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** A schema with more said about its properties. */
function described(schema: JsonSchema, facts: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const more = Object.entries(facts).map(([name, fact]) => [
    name,
    { ...Object(schema.properties?.[name]), ...fact },
  ]);
  return { ...schema, properties: { ...schema.properties, ...Object.fromEntries(more) } };
}

/** The form of a message with a file. A `text` is refused in it, so the reference does not offer one. */
function mediaForm(): JsonSchema {
  const { properties: { text: _, ...properties } = {}, required = [] } = merged(
    inputSchema(messageInput),
    inputSchema(mediaFields),
  );
  const file: JsonSchema = { type: 'string', format: 'binary' };
  return { type: 'object', properties: { ...properties, file }, required: [...required, 'file'] };
}
