import type { Message } from './message.ts';

export const LINK_PREVIEW_MODES = ['off', 'requested', 'all'] as const;
/**
 * The texts that get a preview of their first link: none, those that request it, or all that do not refuse it
 * (`link_preview`).
 */
export type LinkPreviewMode = (typeof LINK_PREVIEW_MODES)[number];

/** Whether a text is to have a preview, if it has a link. */
export function wantsPreview(
  { kind, payload }: Pick<Message, 'kind' | 'payload'>,
  mode: LinkPreviewMode,
): boolean {
  if (kind !== 'text' || mode === 'off') return false;
  const requested = payload !== null && 'link_preview' in payload ? payload.link_preview : null;
  return requested ?? mode === 'all';
}

/** Longer links are not fetched (specification, "URL rules"). */
const LONGEST = 2_048;
/** Punctuation that ends the sentence rather than the link. */
const AFTER_LINK = /[.,;:!?'")\]}>*_~…»”’]$/;

/** The first link of a text, as it is written there; null if there is none. Only links with a scheme count. */
export function firstLink(text: string): string | null {
  const [found] = /https?:\/\/[^\s<>"]+/i.exec(text) ?? [];
  if (found === undefined || found.length > LONGEST) return null;
  let link = found;
  while (AFTER_LINK.test(link) && !closesBracket(link)) link = link.slice(0, -1);
  return link;
}

/** Whether a link ends with the bracket of a pair in it, as in https://example.com/a_(b). */
function closesBracket(link: string): boolean {
  return link.endsWith(')') && link.split('(').length >= link.split(')').length;
}
