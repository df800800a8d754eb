import * as z from 'zod';
import type { KindRules } from './message-kind.ts';

export const order: KindRules<'order'> = {
  payload: z.strictObject({
    id: z.string(),
    item_count: z.number().nullable(),
    total: z.number().nullable(),
    currency: z.string().nullable(),
  }),
  words: ({ item_count: count, total, currency }) => {
    const items = count === null ? [] : [`${count} ${count === 1 ? 'item' : 'items'}`];
    const price = total === null ? [] : [[(total / 1000).toFixed(2), currency].filter(Boolean).join(' ')];
    return ['Order', [...items, ...price].join(', ')].filter(Boolean).join(': ');
  },
  sending: null,
};
