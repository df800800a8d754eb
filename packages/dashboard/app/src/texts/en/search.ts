import { pluralIn } from '../plural.ts';
import type { TargetGroup } from '../../shell/search-target.ts';

const plural = pluralIn('en');

export const search = {
  title: 'Search',
  label: 'A page, a number, a name, an id or words',
  close: 'Close',
  results: 'Results',
  searching: 'Searching…',
  count: (count: number) => plural(count, { one: '# result', other: '# results' }),
  allMessages: (words: string) => `All messages with “${words}”`,
  noText: 'no text',
  groups: {
    open: 'Go to',
    pages: 'Pages',
    numbers: 'Numbers',
    webhooks: 'Webhooks',
    people: 'People',
    messages: 'Messages',
  } satisfies Record<TargetGroup, string>,
};
