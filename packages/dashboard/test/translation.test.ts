import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

interface Texts {
  readonly [key: string]: unknown;
}

type Areas = Readonly<Record<string, () => Promise<Texts>>>;

/** Words that are the same in both languages, and names. */
const SAME = [
  '1 h',
  '24 h',
  '30 d',
  '7 d',
  'API',
  'Audio',
  'Chat',
  'Chats',
  'English',
  'Español',
  'Plan',
  'Trunkline',
  'Webhook',
  'Webhooks',
  'no',
  'p95 …',
  'webhooks',
];

/** Each text by its key. Of a text with a value in it, only the words around the value. */
async function textsIn(language: 'en' | 'es'): Promise<ReadonlyMap<string, string>> {
  // The variable hides the import from the compiler, because the tests are compiled without JSX, unlike the app.
  const module: string = `../app/src/texts/${language}/index.ts`;
  const { [language.toUpperCase()]: areas = {} }: Readonly<Record<string, Areas>> = await import(module);
  const texts = new Map<string, string>();
  const add = (key: string, given: unknown): void => {
    const text: unknown =
      typeof given === 'function' ? given(...Array<string>(given.length).fill('…')) : given;
    if (typeof text === 'string') texts.set(key, text);
    else for (const [inner, one] of Object.entries(text ?? {})) add(`${key}.${inner}`, one);
  };
  for (const [area, load] of Object.entries(areas)) add(area, await load());
  return texts;
}

it('every text is translated into Spanish', async () => {
  const spanish = await textsIn('es');
  expect(spanish.size).toBeGreaterThan(400);
  const untranslated = [...(await textsIn('en'))].filter(
    ([key, text]) => spanish.get(key) === text && /\p{L}/u.test(text) && !SAME.includes(text),
  );
  expect(untranslated).toEqual([]);
});

it('the Spanish texts address people formally, all of them', async () => {
  const folder = new URL('../app/src/texts/es/', import.meta.url);
  const informal = [
    /(?<!\p{L})(tú|tus?|contigo|cópiala|déjalo|guárdala|pídeselo|puedes)(?!\p{L})/giu,
    // Only after a quote, a period or a colon: inside a sentence, these words are in the third person.
    /(?<=['`.:] ?)(abre|añade|comprueba|copia|crea|deja|elige|entra|envía|escribe|guarda|inicia|vuelve)(?!\p{L})/giu,
  ];
  const names = await readdir(folder);
  expect(names.length).toBeGreaterThan(10);
  for (const name of names) {
    const source = await readFile(new URL(name, folder), 'utf8');
    const found = informal.flatMap((words) => source.match(words) ?? []);
    expect(found, name).toEqual([]);
  }
});
