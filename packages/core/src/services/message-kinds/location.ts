import type { MessageLocation } from '@trunkline/receiver';
import * as z from 'zod';
import type { KindRules } from './message-kind.ts';

const place: z.ZodType<MessageLocation> = z.strictObject({
  latitude: z.number(),
  longitude: z.number(),
  name: z.string().nullable(),
  address: z.string().nullable(),
});

export const location: KindRules<'location'> = {
  payload: place,
  words: (payload) => `Location: ${placeText(payload)}`,
  sending: null,
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
