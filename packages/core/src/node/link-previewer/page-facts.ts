/** The facts in the head of a page, as the page wrote them. */
export interface PageFacts {
  readonly title: string | null;
  readonly description: string | null;
  /** A URL, perhaps relative. */
  readonly image: string | null;
}

const TITLE_MAX = 300;
const DESCRIPTION_MAX = 500;

/** The names under which pages have each fact, the best first (Open Graph, then X, then HTML). */
const NAMES = {
  title: ['og:title', 'twitter:title'],
  description: ['og:description', 'twitter:description', 'description'],
  image: ['og:image:secure_url', 'og:image', 'og:image:url', 'twitter:image'],
} as const;

/** The elements whose content is not HTML. */
const RAW = /^(?:script|style|noscript|template|svg)$/;

/** Reads the facts of a page. Takes whatever browsers take, and a time that is proportional to the length of the page. */
export function readPageFacts(html: string): PageFacts {
  const metas = new Map<string, string>();
  let title: string | null = null;
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at)) {
    if (html.startsWith('<!--', at)) {
      at = after(html, '-->', at + 4);
      continue;
    }
    const name = nameAt(html, at + 1);
    if (name === '') {
      at += 1;
      continue;
    }
    const { attributes, end } = readTag(html, at + 1 + name.length);
    at = end;
    if (RAW.test(name)) {
      at = closingTag(html, name, end);
    } else if (name === 'title') {
      at = closingTag(html, name, end);
      title ??= html.slice(end, at);
    } else if (name === 'meta') {
      const property = (attributes.get('property') ?? attributes.get('name') ?? '').toLowerCase();
      const content = attributes.get('content');
      if (content !== undefined && !metas.has(property)) metas.set(property, content);
    }
  }
  const found = (names: readonly string[]): string | null =>
    names.map((name) => decoded(metas.get(name) ?? '')).find((value) => value !== '') ?? null;
  return {
    title: cut(found(NAMES.title) ?? (title === null ? null : decoded(title)), TITLE_MAX),
    description: cut(found(NAMES.description), DESCRIPTION_MAX),
    image: found(NAMES.image),
  };
}

function after(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from);
  return at < 0 ? html.length : at + mark.length;
}

const NAME = /[a-z][a-z0-9]{0,15}/iy;

function nameAt(html: string, at: number): string {
  NAME.lastIndex = at;
  return NAME.exec(html)?.[0].toLowerCase() ?? '';
}

/** Returns the position of an element's closing tag; the end of the page if there is none. */
function closingTag(html: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}`, 'gi');
  closing.lastIndex = from;
  return closing.exec(html)?.index ?? html.length;
}

const BETWEEN = /[\s/]/;
const ATTRIBUTE = /([^\s/>=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']*)))?/y;

/** Reads attributes up to the end of a tag. The first of repeated ones counts. */
function readTag(
  html: string,
  from: number,
): { readonly attributes: ReadonlyMap<string, string>; readonly end: number } {
  const attributes = new Map<string, string>();
  let at = from;
  while (at < html.length) {
    if (BETWEEN.test(html.charAt(at))) {
      at += 1;
      continue;
    }
    ATTRIBUTE.lastIndex = at;
    const match = ATTRIBUTE.exec(html);
    if (!match) break;
    const [all, name = '', ...values] = match;
    at += all.length;
    const key = name.toLowerCase();
    if (!attributes.has(key)) attributes.set(key, values.find((value) => value !== undefined) ?? '');
  }
  return { attributes, end: after(html, '>', at) };
}

/** The names of U+00A0 to U+00FF, in this order (HTML, section 13.5). */
const LATIN =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro ' +
  'para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil ' +
  'Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave ' +
  'Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml ' +
  'igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute ' +
  'thorn yuml';
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ...LATIN.split(' ').map((name, index): [string, string] => [name, String.fromCodePoint(0xa0 + index)]),
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['ndash', '–'],
  ['mdash', '—'],
  ['lsquo', '‘'],
  ['rsquo', '’'],
  ['ldquo', '“'],
  ['rdquo', '”'],
  ['bull', '•'],
  ['hellip', '…'],
  ['euro', '€'],
  ['trade', '™'],
]);

/** The text that HTML stands for, in one line. Names of rare characters stay as they are. */
function decoded(html: string): string {
  return html
    .slice(0, 8_192)
    .replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z][a-z0-9]{1,7}));?/gi, (all, decimal, hex, name) => {
      if (typeof name === 'string') return ENTITIES.get(name) ?? all;
      const code = typeof decimal === 'string' ? Number(decimal) : Number.parseInt(String(hex), 16);
      return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : '\uFFFD';
    })
    .toWellFormed()
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim();
}

/** The text with at most `max` characters; null if it is empty. */
function cut(text: string | null, max: number): string | null {
  if (text === null || text === '') return null;
  const characters = Array.from(text.slice(0, max * 2 + 2));
  return characters.length <= max ? characters.join('') : `${characters.slice(0, max - 1).join('')}…`;
}
