import type { MessageKindAndPayload } from '@trunkline/receiver';

// Messages of strangers are stored and sent to webhooks, so each part has a bound. Lengths in UTF-16 code units.

/** The text or the caption of an inbound message. WhatsApp's own apps send no more. */
export const TEXT_RECEIVED_MAX = 65_536;
/** One string in a payload. */
const PAYLOAD_TEXT_MAX = 4_096;
/** All strings in a payload together. */
const PAYLOAD_TEXTS_MAX = 32_768;
const PAYLOAD_NAME_MAX = 64;
/** Elements of a list, or fields of an object, in a payload. */
const PAYLOAD_ITEMS_MAX = 100;
const PAYLOAD_VALUES_MAX = 1_000;
const PAYLOAD_DEPTH_MAX = 8;

/** The text cut to `max`, without splitting a surrogate pair. */
export function boundedText<Text extends string | null>(text: Text, max: number): Text {
  if (text === null || text.length <= max) return text;
  const cut = text.slice(0, max);
  const isInPair = /[\uD800-\uDBFF]$/.test(cut) && /^[\uDC00-\uDFFF]/.test(text.slice(max, max + 1));
  return (isInPair ? cut.slice(0, -1) : cut) as Text; // `text` is not null, so it was given as a string
}

/** The same as `boundedText`, without NUL characters, and with lone surrogates replaced. */
export function boundedPlainText(text: string, max: number): string {
  return boundedText(
    boundedText(text, max + 1)
      .replaceAll('\0', '')
      .toWellFormed(),
    max,
  );
}

const KIND = /^[a-z][a-z_]{0,39}$/;

/** Bounds the kind and the payload that a network reports. Null if the kind is missing or invalid. */
export function boundedDetail(detail: MessageKindAndPayload | undefined): MessageKindAndPayload | null {
  if (!detail || !KIND.test(detail.kind)) return null;
  const { kind, payload } = detail;
  // The copy has the same shape: long texts are cut, and excess values are left out.
  return { kind, payload: payload === null ? null : boundedPayload(payload) } as MessageKindAndPayload;
}

/** A copy of JSON within the bounds. Values that are too deep or are not JSON become null. */
function boundedPayload(payload: object): unknown {
  let texts = PAYLOAD_TEXTS_MAX;
  let values = PAYLOAD_VALUES_MAX;

  const copyText = (text: string): string => {
    const copy = boundedPlainText(text, Math.min(PAYLOAD_TEXT_MAX, texts));
    texts -= copy.length;
    return copy;
  };
  const copy = (value: unknown, depth: number): unknown => {
    values -= 1;
    switch (typeof value) {
      case 'string':
        return copyText(value);
      case 'number':
        return Number.isFinite(value) ? value : null;
      case 'boolean':
        return value;
      case 'object':
        return value === null || depth > PAYLOAD_DEPTH_MAX ? null : copyObject(value, depth);
      default:
        return null;
    }
  };
  const copyObject = (value: object, depth: number): unknown => {
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (const item of value.slice(0, PAYLOAD_ITEMS_MAX)) {
        if (values > 0 && texts > 0) items.push(copy(item, depth + 1));
      }
      return items;
    }
    const fields: [string, unknown][] = [];
    for (const [name, field] of Object.entries(value).slice(0, PAYLOAD_ITEMS_MAX)) {
      if (values > 0) fields.push([boundedPlainText(name, PAYLOAD_NAME_MAX), copy(field, depth + 1)]);
    }
    return Object.fromEntries(fields);
  };
  return copy(payload, 1);
}

/** The first of today's messaging networks began about this time, so earlier times are wrong. */
const FIRST_SENT_AT = Date.UTC(2009, 0, 1);

/**
 * When a message was sent, as its network reports (perhaps wrongly), but not later than its arrival. Null if the
 * network reports no time, or an impossible time.
 */
export function reportedTime(sentAt: number | null | undefined, arrivedAt: number): number | null {
  if (typeof sentAt !== 'number' || !(sentAt >= FIRST_SENT_AT)) return null;
  return Math.min(Math.floor(sentAt), arrivedAt);
}
