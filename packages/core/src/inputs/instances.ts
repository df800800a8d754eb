import * as z from 'zod';
import { CREDENTIAL_MAX, CREDENTIALS_MAX } from '../domain/instance/credential-fields.ts';
import { INSTANCE_NAME_MAX, NETWORK_NAME_MAX } from '../domain/instance/instance.ts';
import { TYPING_STATES } from '../domain/instance/instance-call.ts';
import type { TypingState } from '../domain/instance/instance-call.ts';
import { LOOKUP_NUMBERS_MAX } from '../domain/instance/number-lookup.ts';
import { PACE_NAMES } from '../domain/instance/pace.ts';
import type { PaceName } from '../domain/instance/pace.ts';
import type { PasskeyCredential } from '../domain/instance/passkey.ts';
import { flawInProxyUrl, PROXY_URL_MAX } from '../domain/instance/proxy-url.ts';
import { optionalField, pageFields, storableText } from './fields.ts';
import type { CheckedPageQuery, PageQuery, WithoutNulls } from './fields.ts';

/**
 * `proxy_url`: the address of the proxy that the instance connects through, with `http:`, `https:` or `socks5:`, and a
 * user name and a password if needed; null removes the proxy. The address is never shown; responses only have
 * `has_proxy`.
 */
export type InstanceInput = {
  /** 1 to 100 characters. By default, a new instance gets a name made from its id, and an update changes nothing. */
  readonly name?: string | null | undefined;
  /** The proxy, such as `socks5://user:password@proxy.example.com:1080`; null removes the proxy. */
  readonly proxy_url?: string | null | undefined;
  /**
   * The credentials that link the instance, by the names that its network has for them (`GET /networks`): all of them,
   * since they replace those before. Null removes them. They are never shown; responses only have `has_credentials`.
   */
  readonly credentials?: Readonly<Record<string, string>> | null | undefined;
  /** `gentle`, or `off` for no pace; null for the pace of the gateway, the default. */
  readonly pace?: PaceName | null | undefined;
};
const instanceFields = {
  name: optionalField(
    z
      .string()
      .transform((name) => name.trim())
      .pipe(storableText(1, INSTANCE_NAME_MAX)),
  ),
  proxy_url: storableText(1, PROXY_URL_MAX)
    .pipe(
      z.string().superRefine((address, refinement) => {
        const flaw = flawInProxyUrl(address);
        if (flaw !== null) refinement.addIssue(flaw);
      }),
    )
    .nullable()
    .optional(),
  credentials: z
    .record(z.string(), storableText(1, CREDENTIAL_MAX))
    .refine(
      (given) => Object.keys(given).length <= CREDENTIALS_MAX,
      `Must have at most ${CREDENTIALS_MAX} values.`,
    )
    .nullable()
    .optional(),
  pace: z.enum(PACE_NAMES).nullable().optional(),
};
export const instanceInput: z.ZodType<WithoutNulls<InstanceInput, 'name'>, unknown> = z.object(
  instanceFields,
);

/** The fields of a new instance. */
export type NewInstanceInput = InstanceInput & {
  /** The messaging network that the instance is on, such as `whatsapp`. By default, the service's first one. */
  readonly network?: string | null | undefined;
};
export const newInstanceInput: z.ZodType<
  WithoutNulls<NewInstanceInput, 'name' | 'network'>,
  unknown
> = z.object({ ...instanceFields, network: optionalField(storableText(1, NETWORK_NAME_MAX)) });

/**
 * `pairing_phone_number`: the number, formatted or not, of a phone on which a code is typed instead of scanning the QR.
 */
export type ConnectInput = {
  /** The number of the phone on which the code is typed. By default, only a QR is shown. */
  readonly pairing_phone_number?: string | null | undefined;
};
export const connectInput: z.ZodType<WithoutNulls<ConnectInput, 'pairing_phone_number'>, unknown> = z.object({
  pairing_phone_number: optionalField(z.string()),
});

/** The browser's answer to the request for a passkey, as `PublicKeyCredential.toJSON()` returns it. */
export type PasskeyAnswerInput = {
  /** The id of the passkey. Base64url, as all binary values here. */
  readonly id: string;
  /** The same id. */
  readonly rawId: string;
  /** The kind of credential. */
  readonly type: 'public-key';
  /** The signed answer. */
  readonly response: {
    /** The challenge and the origin, as the browser has signed them. */
    readonly clientDataJSON: string;
    /** The domain, and whether the person was verified, as the authenticator has signed them. */
    readonly authenticatorData: string;
    /** The signature with the passkey. */
    readonly signature: string;
    /** The account that the passkey belongs to; null if the authenticator does not say. */
    readonly userHandle?: string | null | undefined;
  };
};
export const passkeyAnswerInput: z.ZodType<PasskeyCredential, unknown> = z.object({
  id: base64urlText(2_048),
  rawId: base64urlText(2_048),
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: base64urlText(8_192),
    authenticatorData: base64urlText(8_192),
    signature: base64urlText(8_192),
    userHandle: base64urlText(128)
      .nullish()
      .transform((handle) => handle ?? null),
  }),
});

/** Binary data in base64url. Padding is dropped, because networks expect none. */
function base64urlText(max: number): z.ZodType<string, string> {
  return z
    .string()
    .max(max, `Must have at most ${max} characters.`)
    .regex(/^[A-Za-z0-9_-]+={0,2}$/, 'Must be base64url.')
    .transform((text) => text.replaceAll('=', ''));
}

/** A chat, and the state in which it is shown the instance. */
export type TypingInput = {
  /** A phone number, or the id of a group or a contact, as for a message. */
  readonly to: string;
  /** `typing`, `recording` a voice message, or `paused`. */
  readonly state: TypingState;
};
export const typingInput: z.ZodType<TypingInput, unknown> = z.object({
  to: z.string(),
  state: z.enum(TYPING_STATES),
});

/** The numbers to look up on the network of an instance. */
export type LookupInput = {
  /** 1 to 50 phone numbers, formatted or not. */
  readonly numbers: readonly string[];
};
export const lookupInput: z.ZodType<LookupInput, unknown> = z.object({
  numbers: z.array(z.string()).min(1).max(LOOKUP_NUMBERS_MAX),
});

/** Selects a page of the history of an instance. */
export type HistoryQuery = PageQuery;
export const historyQuery: z.ZodType<CheckedPageQuery, unknown> = z.object(pageFields);
