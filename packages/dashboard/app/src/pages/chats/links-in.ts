interface Part {
  readonly text: string;
  /** The address, if the part is a link. */
  readonly href: string | null;
}

/** An address ends at a space, a quote, a bracket of HTML, or a character that changes the look of the text around it. */
const ADDRESS = /https?:\/\/[^\s<>"\p{Cc}\p{Cf}]+/giu;
/** Punctuation at the end of an address belongs to the sentence. */
const ENDINGS = ".,;:!?'…*_~";

/** Splits a text into plain parts and web addresses. Only `http:` and `https:` addresses are links. */
export function linksIn(text: string): readonly Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const address = withoutEnding(found);
    const href = hrefOf(address);
    if (href === null) continue;
    if (index > end) parts.push({ text: text.slice(end, index), href: null });
    parts.push({ text: address, href });
    end = index + address.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), href: null });
  return parts;
}

/** A closing bracket belongs to the address only if it was opened there. */
function withoutEnding(found: string): string {
  let unopened = found.split(')').length - found.split('(').length;
  let end = found.length;
  for (; end > 0; end--) {
    const last = found.charAt(end - 1);
    if (last === ')' && unopened > 0) unopened--;
    else if (!ENDINGS.includes(last)) break;
  }
  return found.slice(0, end);
}

function hrefOf(address: string): string | null {
  return URL.canParse(address) ? new URL(address).href : null;
}
