/** Makes a text storable in every database, because senders may put any characters into it. Null if nothing is left. */
export function storable(text: string | null | undefined): string | null {
  return text?.replaceAll('\0', '').toWellFormed() || null;
}

/** Longer than any name, title or address that WhatsApp's apps let people type. */
const LINE = 1_000;

export function storableLine(text: string | null | undefined, longest: number = LINE): string | null {
  return storable(text?.slice(0, longest));
}

/** Deeper than any form is nested. JSON readers and writers recurse at each level. */
const DEEPEST = 20;

/** A JSON value that every database can store; null if the text is nested too deeply, or not JSON. */
export function storableJson(text: string): unknown {
  try {
    return storableValue(JSON.parse(text), DEEPEST);
  } catch {
    return null;
  }
}

function storableValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return storable(value) ?? '';
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) throw new RangeError('The value is nested too deeply.');
  if (Array.isArray(value)) return value.map((item) => storableValue(item, depth - 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [storable(name) ?? '', storableValue(inner, depth - 1)]),
  );
}
