import { pluralIn } from '../plural.ts';

const plural = pluralIn('en');

/** The view of JSON, wherever it stands. */
export const json = {
  fields: (count: number) => plural(count, { one: '# field', other: '# fields' }),
  items: (count: number) => plural(count, { one: '# item', other: '# items' }),
  more: (left: string) => `Show more (${left} left)`,
};
