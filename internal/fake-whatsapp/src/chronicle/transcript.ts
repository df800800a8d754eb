import { binaryNodeToString } from '@whiskeysockets/baileys';
import type { Stanza } from '../stanza.ts';

export interface TranscriptEntry {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Connections are numbered from 1. */
  readonly connection: number;
  readonly direction: 'received' | 'sent';
  readonly node: Stanza;
}

const LONGEST_ENTRIES = 20_000;
const LONGEST_LIST = 10;

/** The latest 20,000 stanzas on the wire, without the transport's encryption. */
export class Transcript {
  readonly #entries: TranscriptEntry[] = [];

  get entries(): readonly TranscriptEntry[] {
    return this.#entries;
  }

  add(entry: TranscriptEntry): void {
    this.#entries.push(entry);
    if (this.#entries.length > LONGEST_ENTRIES) this.#entries.shift();
  }
}

/** Formats stanzas for people to read, one line each, with only the length of bytes and the beginning of long lists. */
export function formatTranscript(entries: readonly TranscriptEntry[]): string {
  return entries
    .map(({ connection, direction, node }) => {
      const arrow = direction === 'received' ? '→' : '←';
      return `${String(connection)} ${arrow} ${binaryNodeToString(shortened(node)).replaceAll(/\n\s*/g, ' ')}`;
    })
    .join('\n');
}

function shortened(node: Stanza): Stanza {
  const { tag, attrs, content } = node;
  if (content === undefined) return { tag, attrs };
  if (typeof content === 'string') return node;
  if (!Array.isArray(content)) return { tag, attrs, content: `${String(content.length)} bytes` };
  const shown = content.slice(0, LONGEST_LIST).map(shortened);
  const rest = content.length - shown.length;
  return {
    tag,
    attrs,
    content: rest === 0 ? shown : [...shown, { tag: `and-${String(rest)}-more`, attrs: {} }],
  };
}
