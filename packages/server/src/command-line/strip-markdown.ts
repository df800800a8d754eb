/** Returns Markdown without the targets of its links and without backquotes. */
export function stripMarkdown(markdown: string): string {
  return markdown.replaceAll(/\[([^[\]]{1,100})\]\([^()]{1,200}\)/g, '$1').replaceAll('`', '');
}
