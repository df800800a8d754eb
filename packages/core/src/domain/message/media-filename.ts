import type { MediaType } from './media-rules.ts';

const BYTES_MAX = 255;

/**
 * The name that a file is offered under: the last part of the given path, without control characters and shortened
 * before its extension to 255 bytes of UTF-8. If nothing is left, a name made of the message's type and id.
 */
export function mediaFilename(
  given: string | null,
  fallback: { readonly type: MediaType; readonly messageId: string; readonly extension: string },
): string {
  const name = given === null ? '' : safeName(given);
  return name === '' ? `${fallback.type}-${fallback.messageId.slice(-6)}.${fallback.extension}` : name;
}

function safeName(given: string): string {
  const last = given.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  // Control characters and line separators, and marks of text direction, which can disguise an extension.
  const visible = last.replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '').trim();
  return /^\.*$/.test(visible) ? '' : cutToBytes(visible);
}

function cutToBytes(name: string): string {
  if (bytes(name) <= BYTES_MAX) return name;
  const extension = /\.[^.]{1,16}$/u.exec(name)?.[0] ?? '';
  return beginning(name.slice(0, name.length - extension.length), BYTES_MAX - bytes(extension)) + extension;
}

/** As many whole characters as fit into `bytesMax`. */
function beginning(text: string, bytesMax: number): string {
  let end = 0;
  let size = 0;
  for (const character of text) {
    size += bytes(character);
    if (size > bytesMax) break;
    end += character.length;
  }
  return text.slice(0, end);
}

function bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
