import { pluralIn } from '../plural.ts';
import type { TextsOf } from '../texts.ts';

const plural = pluralIn('es');

export const search: TextsOf<'search'> = {
  title: 'Búsqueda',
  label: 'Una página, un número, un nombre, un id o palabras',
  close: 'Cerrar',
  results: 'Resultados',
  searching: 'Buscando…',
  count: (count) => plural(count, { one: '# resultado', other: '# resultados' }),
  allMessages: (words) => `Todos los mensajes con «${words}»`,
  noText: 'sin texto',
  groups: {
    open: 'Ir a',
    pages: 'Páginas',
    numbers: 'Números',
    webhooks: 'Webhooks',
    people: 'Personas',
    messages: 'Mensajes',
  },
};
