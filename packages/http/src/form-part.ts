/** How a part of a form names itself. */
export interface PartNames {
  readonly name: string;
  /** As the client calls the file; undefined where the part is none. */
  readonly filename: string | undefined;
}

/**
 * Reads the Content-Disposition of a part (RFC 7578 section 4.2), in the raw UTF-8 that browsers write names in; null
 * where it is none of a form, or has no name.
 */
export function readPartNames(disposition = ''): PartNames | null {
  if (!/^form-data\s*(;|$)/i.test(disposition)) return null;
  const parameters = new Map<string, string>();
  for (const [, key = '', quoted, token] of disposition.matchAll(PARAMETER)) {
    parameters.set(key.toLowerCase(), quoted === undefined ? (token ?? '') : unescaped(quoted));
  }
  const name = parameters.get('name');
  if (name === undefined) return null;
  return { name, filename: extended(parameters.get('filename*')) ?? parameters.get('filename') };
}

const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g;

/** A quote comes as `%22` from browsers (as Fetch writes forms), as `\"` from curl. Other backslashes stand for themselves. */
function unescaped(quoted: string): string {
  return quoted
    .replaceAll(/\\(["\\])/g, '$1')
    .replaceAll('%22', '"')
    .replaceAll(/%0d|%0a/gi, ' ');
}

/** `UTF-8''na%C3%AFve.txt` (RFC 8187), which forms should not have and some clients write. */
function extended(value: string | undefined): string | undefined {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(value ?? '')?.[1];
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
