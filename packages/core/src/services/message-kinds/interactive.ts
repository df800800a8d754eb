import * as z from 'zod';
import type { KindRules } from './message-kind.ts';

// Messages with buttons, lists and forms, and the answers to them.

export const interactive: KindRules<'interactive'> = {
  payload: z.strictObject({
    buttons: z.array(z.strictObject({ id: z.string(), title: z.string() })),
  }),
  words: ({ buttons }) => buttons.map(({ title }) => title).join(', '),
  sending: null,
};

export const buttonReply: KindRules<'button_reply'> = {
  payload: z.strictObject({ id: z.string(), title: z.string() }),
  words: ({ id, title }) => title || id,
  sending: null,
};

export const listReply: KindRules<'list_reply'> = {
  payload: z.strictObject({ id: z.string(), title: z.string(), description: z.string().nullable() }),
  words: ({ id, title }) => title || id,
  sending: null,
};

export const formReply: KindRules<'form_reply'> = {
  payload: z.strictObject({ name: z.string(), values: z.unknown() }),
  words: ({ name }) => name,
  sending: null,
};
