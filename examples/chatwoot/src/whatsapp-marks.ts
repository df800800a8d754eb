import { Marked } from 'marked';
import type { RendererObject } from 'marked';

/**
 * Converts Markdown, which Chatwoot's editor writes, to WhatsApp's marks: `*bold*`, `_italic_`, `~struck out~`, code,
 * quotes and lists. A link becomes its text and its address.
 */
export function whatsappMarks(markdown: string): string {
  return marked.parse(markdown, { async: false }).trim();
}

const renderer: RendererObject<string, string> = {
  strong({ tokens }) {
    return `*${this.parser.parseInline(tokens)}*`;
  },
  em({ tokens }) {
    return `_${this.parser.parseInline(tokens)}_`;
  },
  del({ tokens }) {
    return `~${this.parser.parseInline(tokens)}~`;
  },
  codespan: ({ text }) => `\`${text}\``,
  br: () => '\n',
  text(token) {
    return 'tokens' in token && token.tokens ? this.parser.parseInline(token.tokens) : token.text;
  },
  link({ href, tokens }) {
    const text = this.parser.parseInline(tokens);
    const address = href.replace(/^(?:mailto|tel):/, '');
    return text === href || text === address ? text : `${text} (${address})`;
  },
  image: ({ href, text }) => (text === '' ? href : `${text} (${href})`),
  html: ({ text }) => text,
  paragraph({ tokens }) {
    return `${this.parser.parseInline(tokens)}\n\n`;
  },
  heading({ tokens }) {
    return `*${this.parser.parseInline(tokens)}*\n\n`;
  },
  code: ({ text }) => `\`\`\`${text}\`\`\`\n\n`,
  blockquote({ tokens }) {
    return `${indented(this.parser.parse(tokens), '> ', '> ')}\n\n`;
  },
  list({ items, ordered, start }) {
    const first = typeof start === 'number' ? start : 1;
    const lines = items.map((item, index) => {
      const bullet = ordered ? `${first + index}. ` : '- ';
      // A nested list follows its item's text without an empty line.
      const blocks = item.tokens.map((token) => this.parser.parse([token]).trim());
      return indented(blocks.join('\n'), bullet, '  ');
    });
    return `${lines.join('\n')}\n\n`;
  },
  hr: () => '---\n\n',
  table: ({ raw }) => `${raw.trim()}\n\n`,
};

const marked = new Marked({ gfm: true, renderer });

function indented(text: string, first: string, others: string): string {
  return text
    .trim()
    .split('\n')
    .map((line, index) => `${index === 0 ? first : others}${line}`)
    .join('\n');
}
