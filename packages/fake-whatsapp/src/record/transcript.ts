import type { BinaryNode } from '@whiskeysockets/baileys';

export interface TranscriptEntry {
  readonly at: number;
  /** Connections are numbered from 1. */
  readonly connection: number;
  readonly direction: 'received' | 'sent';
  readonly node: BinaryNode;
}
