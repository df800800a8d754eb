const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Matches most names and texts, which take one column per character. */
const NARROW = /^[\u0020-\u007e\u00a1-\u02ff]*$/;

/** A grapheme that terminals draw as one picture, however many characters it is made of: flags, families, keycaps. */
const PICTURE = /^\p{Emoji_Presentation}|\ufe0f|^\p{Regional_Indicator}{2}$|\p{Emoji_Modifier}/u;

/** Combining marks, jamo that continue a syllable, and characters that are not drawn. */
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff\ud7b0-\ud7fb]/u;

/** East Asian characters that take two columns (UAX #11, classes W and F). */
const WIDE =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Bopo}\p{sc=Yiii}\p{sc=Tang}\p{sc=Nshu}\u2329\u232a\u2630-\u2637\u268a-\u268f\u2ff0-\u303e\u309b\u309c\u30a0-\u30fc\u3190-\u319f\u31c0-\u31ef\u3220-\u3247\u3250-\u4dff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{18b00}-\u{18cff}\u{1d300}-\u{1d376}\u{1f200}-\u{1f265}]/u;
/** Halfwidth characters of the same scripts: one column. */
const HALFWIDTH = /[\uff61-\uffdc]/;

/** Returns how many columns of a terminal the text takes. Control characters in the text must have been escaped. */
export function displayWidth(text: string): number {
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const { segment } of GRAPHEMES.segment(text)) width += widthOf(segment);
  return width;
}

/** Cuts a text that is wider than `width` columns, between two graphemes, and ends it with `…`. */
export function cutToWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  let left = width - 1;
  for (const { segment } of GRAPHEMES.segment(text)) {
    left -= widthOf(segment);
    if (left < 0) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

function widthOf(grapheme: string): number {
  if (PICTURE.test(grapheme)) return 2;
  let width = 0;
  for (const character of grapheme) {
    if (NO_WIDTH.test(character)) continue;
    width += WIDE.test(character) && !HALFWIDTH.test(character) ? 2 : 1;
  }
  return width;
}
