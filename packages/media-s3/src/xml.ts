/** The text of every element with this name, in order. S3's responses never nest such elements. */
export function textsOf(xml: string, name: string): readonly string[] {
  return Array.from(xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g')), ([, text]) =>
    unescaped(text ?? ''),
  );
}

export function textOf(xml: string, name: string): string | null {
  return textsOf(xml, name)[0] ?? null;
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const LAST_CODE_POINT = 0x10ffff;

function unescaped(text: string): string {
  return text.replaceAll(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const codePoint = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return codePoint <= LAST_CODE_POINT ? String.fromCodePoint(codePoint) : whole;
  });
}
