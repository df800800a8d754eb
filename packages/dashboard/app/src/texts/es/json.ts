import { pluralIn } from '../plural.ts';
import type { TextsOf } from '../texts.ts';

const plural = pluralIn('es');

export const json: TextsOf<'json'> = {
  fields: (count) => plural(count, { one: '# campo', other: '# campos' }),
  items: (count) => plural(count, { one: '# elemento', other: '# elementos' }),
  more: (left) => `Mostrar más (quedan ${left})`,
};
