import type { InstanceResource, NumberLookupResource, PasskeyResource, QrResource } from '@trunkline/core';
import { CAPABILITIES, PACE_NAMES } from '@trunkline/core/spi/http';
import type { EventData } from '@trunkline/core/spi/http';
import * as z from 'zod';
import { exactSchema } from './exact-schema.ts';
import { id, timestamp, timestampOrNull } from './fields.ts';
import type { Resource } from './response-body.ts';

const STATUSES = [
  'created',
  'connecting',
  'qr_required',
  'connected',
  'disconnected',
  'logged_out',
  'error',
] as const;

const fields = z.strictObject({
  id: id('ins'),
  name: z.string(),
  network: z.string().meta({ description: 'The messaging network that it is on, such as whatsapp.' }),
  status: z.enum(STATUSES),
  phone_number: z.string().nullable().meta({ description: 'Digits of the linked number.' }),
  profile_name: z.string().nullable(),
  profile_picture_url: z.string().nullable(),
  paired: z.boolean().meta({ description: 'Whether a number is linked.' }),
  capabilities: z.array(z.enum(CAPABILITIES)),
  last_error: z.string().nullable(),
  restriction: z
    .strictObject({
      code: z.string().meta({
        description: 'Such as cannot_start_chats, sending_capped or account_temporarily_banned.',
      }),
      until: timestampOrNull.meta({ description: 'When it ends; null if the network does not say it.' }),
    })
    .nullable()
    .meta({ description: 'What the network forbids the number for now.' }),
  has_proxy: z.boolean().meta({ description: 'Whether it has a proxy_url, which is never shown.' }),
  has_credentials: z.boolean().meta({ description: 'Whether it has credentials, which are never shown.' }),
  pace: z
    .enum(PACE_NAMES)
    .nullable()
    .meta({ description: 'The pace that was chosen for it; null for that of its network.' }),
  status_changed_at: timestampOrNull,
  connected_at: timestampOrNull,
  disconnected_at: timestampOrNull,
  last_seen_at: timestampOrNull,
  created_at: timestamp,
  updated_at: timestamp,
});

export const instance: Resource<InstanceResource> = {
  name: 'Instance',
  schema: exactSchema<InstanceResource>()(fields),
  example: {
    id: 'ins_01kaj2p9v6e8gr5d0mz7q4xw1c',
    name: 'Support',
    network: 'whatsapp',
    status: 'connected',
    phone_number: '15550100',
    profile_name: 'Acme Support',
    profile_picture_url: null,
    paired: true,
    capabilities: [...CAPABILITIES],
    last_error: null,
    restriction: null,
    has_proxy: false,
    has_credentials: false,
    pace: null,
    status_changed_at: '2026-11-20T21:15:00.123+00:00',
    connected_at: '2026-11-20T21:15:00.123+00:00',
    disconnected_at: null,
    last_seen_at: '2026-11-20T21:20:00.456+00:00',
    created_at: '2026-11-20T21:10:00.789+00:00',
    updated_at: '2026-11-20T21:15:00.123+00:00',
  },
};

const { id: instanceId, name, status, ...optional } = fields.shape;

/** "Instance objects omit empty fields; id, name and status are always present" (specification, "Request the receiver gets"). */
export const eventInstance: Resource<EventData<'instance.connected'>['instance']> = {
  name: 'EventInstance',
  schema: exactSchema<EventData<'instance.connected'>['instance']>()(
    z.strictObject({ id: instanceId, name, status, ...withoutEmpty(optional) }),
  ),
  example: {
    id: 'ins_01kaj2p9v6e8gr5d0mz7q4xw1c',
    name: 'Support',
    status: 'connected',
    network: 'whatsapp',
    phone_number: '15550100',
    profile_name: 'Acme Support',
    paired: true,
    capabilities: [...CAPABILITIES],
    has_proxy: false,
    has_credentials: false,
    status_changed_at: '2026-11-20T21:15:00.123+00:00',
    connected_at: '2026-11-20T21:15:00.123+00:00',
    last_seen_at: '2026-11-20T21:15:00.123+00:00',
    created_at: '2026-11-20T21:10:00.789+00:00',
    updated_at: '2026-11-20T21:15:00.123+00:00',
  },
};

type WithoutEmpty<Shape extends z.ZodRawShape> = {
  [Name in keyof Shape]: z.ZodExactOptional<z.ZodType<NonNullable<z.output<Shape[Name]>>>>;
};

/** Makes all fields optional and none nullable, and keeps their descriptions. */
function withoutEmpty<Shape extends z.ZodRawShape>(shape: Shape): WithoutEmpty<Shape> {
  const optionals = Object.entries(shape).map(([field, schema]) => {
    const filled = schema instanceof z.ZodNullable ? schema.unwrap() : schema;
    return [field, z.exactOptional(filled).meta({ ...z.globalRegistry.get(schema) })];
  });
  return Object.fromEntries(optionals) as WithoutEmpty<Shape>; // has exactly the fields of `shape`
}

export const qr: Resource<QrResource> = {
  name: 'Qr',
  schema: exactSchema<QrResource>()(
    z.strictObject({
      svg: z.string().meta({ description: 'The picture to scan, as an SVG document.' }),
      code: z.string().meta({ description: 'The text inside the picture.' }),
      pairing_code: z.string().nullable().meta({
        description:
          'What to type on the phone instead; null unless connect was given a pairing_phone_number.',
      }),
      expires_at: timestamp.meta({ description: 'When another code takes its place.' }),
    }),
  ),
  example: {
    svg: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 45 45">…</svg>',
    code: '2@mX7…',
    pairing_code: null,
    expires_at: '2026-11-20T21:15:20.000+00:00',
  },
};

const requestOptions = z.strictObject({
  challenge: z.string(),
  rpId: z.string().meta({ description: 'The domain that the passkey belongs to.' }),
  timeout: z.exactOptional(z.number()).meta({ description: 'Milliseconds.' }),
  userVerification: z.exactOptional(z.string()),
  allowCredentials: z.exactOptional(
    z.array(
      z.strictObject({
        type: z.string(),
        id: z.string(),
        transports: z.exactOptional(z.array(z.string())),
      }),
    ),
  ),
  extensions: z.exactOptional(z.record(z.string(), z.unknown())),
});

export const passkey: Resource<PasskeyResource> = {
  name: 'Passkey',
  schema: exactSchema<PasskeyResource>()(
    z.strictObject({
      step: z.enum(['assertion', 'phone', 'confirmation']).meta({
        description:
          'assertion: run script on page, and post the answer. phone: the phone finishes the linking. confirmation: check that the phone shows code, and confirm it.',
      }),
      request_options: requestOptions.nullable().meta({
        description:
          'The options for navigator.credentials.get, as PublicKeyCredential.parseRequestOptionsFromJSON reads them; null unless the step is assertion, as are page and script.',
      }),
      page: z
        .string()
        .nullable()
        .meta({ description: 'The address of a page on which browsers allow the request.' }),
      script: z.string().nullable().meta({
        description:
          'JavaScript for the console of a browser on page: it uses the passkey, and shows the answer to copy.',
      }),
      code: z
        .string()
        .nullable()
        .meta({ description: 'What the phone shows too; null unless the step is confirmation.' }),
      expires_at: timestamp.meta({ description: 'When the linking ends unless the step is done.' }),
    }),
  ),
  example: {
    step: 'assertion',
    request_options: {
      challenge: 'q8ZkTzYx0nVbW5mJ1rQd7g',
      rpId: 'whatsapp.com',
      timeout: 600000,
      userVerification: 'required',
      allowCredentials: [],
    },
    page: 'https://web.whatsapp.com/',
    script: '((options) => { … })({"challenge":"q8ZkTzYx0nVbW5mJ1rQd7g", … });',
    code: null,
    expires_at: '2026-11-20T21:25:00.000+00:00',
  },
};

export const numberLookup: Resource<NumberLookupResource> = {
  name: 'NumberLookup',
  schema: exactSchema<NumberLookupResource>()(
    z.strictObject({
      number: z.string().meta({ description: 'The digits that were asked about.' }),
      on_network: z.boolean(),
      registered_number: z.string().nullable().meta({
        description:
          "The digits under which the network registers the number, which may differ, as with Brazil's ninth digit; null if it is not there, or if the network does not say.",
      }),
    }),
  ),
  example: { number: '5511988887777', on_network: true, registered_number: '551188887777' },
};
