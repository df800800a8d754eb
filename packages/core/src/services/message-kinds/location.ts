import type { MessageLocation } from '@trunkline/receiver';
import * as z from 'zod';
import { optionalField, wordsWithin } from '../../inputs/fields.ts';
import { payloadSending } from './message-kind.ts';
import type { KindRules, SendableKindRules } from './message-kind.ts';
import type { SendPayloadInput } from './send-input.ts';

/** A place on the map. */
export interface SendLocationInput extends SendPayloadInput {
  /** Always `location`. */
  readonly kind: 'location';
  /** The position and, if given, the name and the address of the place. */
  readonly payload: {
    /** Degrees north of the equator (WGS 84), -90 to 90. */
    readonly latitude: number;
    /** Degrees east of Greenwich, -180 to 180. */
    readonly longitude: number;
    /** The name of the place, at most 256 characters. */
    readonly name?: string | null | undefined;
    /** The address of the place, at most 1,024 characters. */
    readonly address?: string | null | undefined;
  };
}

const NAME_MAX = 256;
const ADDRESS_MAX = 1_024;

const place: z.ZodType<MessageLocation> = z.strictObject({
  latitude: z.number(),
  longitude: z.number(),
  name: z.string().nullable(),
  address: z.string().nullable(),
});

const words = (payload: MessageLocation): string => `Location: ${placeText(payload)}`;

export const location: SendableKindRules<'location'> = {
  payload: place,
  words,
  sending: payloadSending({
    kind: 'location',
    capability: 'locations',
    words,
    payload: z
      .object({
        latitude: z.number().min(-90).max(90),
        longitude: z.number().min(-180).max(180),
        name: optionalField(wordsWithin(NAME_MAX)),
        address: optionalField(wordsWithin(ADDRESS_MAX)),
      })
      .transform(({ name = null, address = null, ...position }) => ({ ...position, name, address })),
  }),
};

export const liveLocation: KindRules<'live_location'> = {
  payload: place,
  words: (payload) => `Live location: ${placeText(payload)}`,
  sending: null,
};

function placeText({ latitude, longitude, name, address }: MessageLocation): string {
  const coordinates = `${degrees(latitude)},${degrees(longitude)}`;
  return [name ?? address, coordinates].filter(Boolean).join(', ');
}

/**
 * Writes enough decimals to locate a door, and no exponent, which JavaScript uses for small numbers. `Intl` would
 * write the same, but its first use costs a process 6 MB.
 */
function degrees(value: number): string {
  const digits = value.toFixed(6).replace(/0{1,4}$/, '');
  return digits === '-0.00' ? '0.00' : digits;
}
