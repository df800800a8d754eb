import type { VoteResource } from '@trunkline/core';
import * as z from 'zod';
import { timestampOrNull } from './fields.ts';
import { contact } from './messages.ts';

type Deed = Omit<VoteResource, 'options'>;

/** The author and the time of an act on a message. */
export const deed: { readonly [Field in keyof Deed]: z.ZodType<Deed[Field]> } = {
  contact: contact.meta({
    description: 'Null if the owner of the number did it, or if the network does not say who.',
  }),
  own: z.boolean().meta({ description: 'Whether the owner of the number did it.' }),
  at: timestampOrNull.meta({ description: "By the network's clock; null if the network does not say it." }),
};

export const ADA: NonNullable<Deed['contact']> = {
  id: 'con_01kaj2s0a2c4e6g8j1m3p5r7t9',
  name: 'Ada',
  phone_number: '15550123',
  dialled_numbers: [],
  username: null,
};
export const BY_ADA: Deed = { contact: ADA, own: false, at: '2026-11-20T21:20:59.000+00:00' };
