import { parsePhoneNumber } from '../message/recipient.ts';
import type { ContactSummary } from '../contact/contact.ts';
import type { Message } from '../message/message.ts';

/** Words are indexed and compared up to this length, in code points. */
const WORD_MAX = 40;
/** The maximum number of different words of one message that are indexed. */
const WORDS_MAX = 1_000;

/** The parts of a message that searches look at, with the names and the number that are known at the time. */
export interface SearchedTexts extends Pick<Message, 'direction' | 'from' | 'to' | 'text' | 'caption'> {
  readonly filename: string | null;
  readonly contact: Pick<ContactSummary, 'name' | 'phoneNumber'> | null;
  readonly groupName: string | null;
}

/**
 * The words by which a message is found, in the form in which `queryWords` has them, each once: those of its text, its
 * caption, its file name, its group's name and its counterpart's name, and the counterpart's number.
 */
export function searchWords(searched: SearchedTexts): readonly string[] {
  const { text, caption, filename, contact, groupName, from, to, direction } = searched;
  const number = direction === 'inbound' ? from : to;
  // The number and the names come first, because a long text may use up the rest of the words.
  const texts = [number, contact?.phoneNumber, contact?.name, groupName, filename, caption, text];
  const words = new Set<string>();
  for (const part of texts) {
    for (const word of wordsOf(part ?? '', 'indexed')) {
      words.add(word);
      if (words.size === WORDS_MAX) return [...words];
    }
  }
  return [...words];
}

/**
 * The words of a query, each once. A message is found if each of them is the beginning of one of its `searchWords`.
 * Empty if the query has neither a letter nor a digit nor an emoji. A phone number that begins with a plus is one word.
 */
export function queryWords(query: string): readonly string[] {
  const number = query.trimStart().startsWith('+') ? parsePhoneNumber(query) : null;
  return [...new Set(wordsOf(number?.ok ? number.digits : query, 'asked'))];
}

/** Whether a word of the message begins with `asked`, for each word that is asked for. */
export function matchesWords(message: readonly string[], asked: readonly string[]): boolean {
  return asked.every((word) => message.some((one) => one.startsWith(word)));
}

function wordsOf(text: string, use: 'indexed' | 'asked'): readonly string[] {
  // The same as below for most texts, ten times as fast.
  if (ASCII.test(text))
    return (text.toLowerCase().match(ASCII_WORD) ?? []).map((word) => word.slice(0, WORD_MAX));
  return (folded(text).match(WORD) ?? []).flatMap((word) =>
    UNSPACED.test(word) ? pairsOf([...word], use) : [[...word].slice(0, WORD_MAX).join('')],
  );
}

const ASCII = /^[\0-\x7F]*$/;
const ASCII_WORD = /[a-z0-9]+/g;

/**
 * Text without case and accents. Compatibility forms, such as full-width letters and ligatures, are taken for the usual
 * ones. The second normalization is for what the change of case makes.
 */
function folded(text: string): string {
  return withoutAccents(withoutAccents(text).toUpperCase().toLowerCase()).replaceAll('ς', 'σ');
}

function withoutAccents(text: string): string {
  return text.normalize('NFKD').replace(ACCENTS, '');
}

/** Accents of Latin, Greek and Cyrillic letters, and the vowel signs of Hebrew and Arabic, which are usually left out. */
const ACCENTS = /[\u0300-\u036F\u0591-\u05C7\u064B-\u065F\u0670]/gu;

const UNSPACED_SCRIPTS =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\u3099\\u309Aー]';
const UNSPACED = new RegExp(`^${UNSPACED_SCRIPTS}`, 'v');

/** A run of letters and digits, a run in a script that is written without spaces, or one emoji. */
const WORD = new RegExp(
  `[[\\p{L}\\p{N}\\p{M}]--${UNSPACED_SCRIPTS}]+|${UNSPACED_SCRIPTS}+|\\p{Extended_Pictographic}`,
  'gv',
);

/**
 * A script without spaces does not show where its words begin, so each pair of neighbouring characters is a word. The
 * last character alone is found too, and a query of one character finds each pair that begins with it.
 */
function pairsOf(run: readonly string[], use: 'indexed' | 'asked'): readonly string[] {
  const pairs = run.slice(1).map((character, index) => `${run[index] ?? ''}${character}`);
  const last = run.at(-1);
  return last !== undefined && (use === 'indexed' || pairs.length === 0) ? [...pairs, last] : pairs;
}
