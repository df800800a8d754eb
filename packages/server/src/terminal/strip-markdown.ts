/** Removes link targets and backquotes from Markdown. */
export function stripMarkdown(markdown: string): string {
  return markdown.replaceAll(/\[([^[\]]{1,100})\]\([^()]{1,200}\)/g, '$1').replaceAll('`', '');
}
