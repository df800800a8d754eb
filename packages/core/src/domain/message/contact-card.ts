import { parsePhoneNumber } from './recipient.ts';

// Contact cards (vCard, RFC 6350), which networks pass on as text.

/** The card of a person with these numbers, in the version that phones write. */
export function writeCard(name: string, numbers: readonly string[]): string {
  const written = escaped(name);
  return [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `N:;${written};;;`,
    `FN:${written}`,
    ...numbers.map(telephone),
    'END:VCARD',
  ].join('\n');
}

/** With `waid`, WhatsApp's apps offer to write to the number. */
function telephone(number: string): string {
  const read = parsePhoneNumber(number);
  const account = read.ok ? `;waid=${read.digits}` : '';
  return `TEL;type=CELL${account}:${escaped(number)}`;
}

/** RFC 6350, section 3.4. */
function escaped(text: string): string {
  return text.replace(/[\\,;]/g, '\\$&');
}

export function isCard(text: string): boolean {
  return /^\s*BEGIN:VCARD\r?\n/i.test(text) && /\nEND:VCARD\s*$/i.test(text);
}

/**
 * The numbers of a card, as they are written on it, from lines like `TEL;type=CELL;waid=5511988887777:+55 11 98888-7777`,
 * possibly with a group (`item1.TEL…`).
 */
export function numbersOnCard(card: string): readonly string[] {
  return card.split(/\r?\n/).flatMap((line) => {
    const [property = '', ...value] = line.split(':');
    const [name = ''] = property.split(';');
    const number = value.join(':').trim();
    return /^(?:[\w-]+\.)?TEL$/i.test(name) && number !== '' ? [number] : [];
  });
}
