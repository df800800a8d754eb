import { getBinaryNodeChild, getBinaryNodeChildren } from '@whiskeysockets/baileys';
import type { BinaryNode } from '@whiskeysockets/baileys';

export type Stanza = BinaryNode;

/** The address of the network itself. */
export const SERVER = 's.whatsapp.net';

type Attributes = Readonly<Record<string, string | undefined>>;

/** A stanza; attributes that are undefined are left out. */
export function stanza(tag: string, attrs: Attributes = {}, content?: Stanza['content']): Stanza {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(attrs)) if (value !== undefined) given[name] = value;
  return content === undefined ? { tag, attrs: given } : { tag, attrs: given, content };
}

export function child(node: Stanza, tag: string): Stanza | undefined {
  return getBinaryNodeChild(node, tag);
}

/** The children with this tag, or all of them. */
export function children(node: Stanza | undefined, tag?: string): readonly Stanza[] {
  if (node === undefined) return [];
  if (tag !== undefined) return getBinaryNodeChildren(node, tag);
  return Array.isArray(node.content) ? node.content : [];
}

/** The bytes of a child. Throws if there are none. */
export function bytesOf(node: Stanza, tag: string): Buffer {
  const content = child(node, tag)?.content;
  if (!(content instanceof Uint8Array)) throw new Error(`<${node.tag}> has no bytes in <${tag}>`);
  return Buffer.from(content);
}

/** The text in a child; empty if there is none. */
export function textOf(node: Stanza, tag: string): string {
  const content = child(node, tag)?.content;
  if (content instanceof Uint8Array) return Buffer.from(content).toString();
  return typeof content === 'string' ? content : '';
}

export function contentBytes(node: Stanza): Buffer {
  if (!(node.content instanceof Uint8Array)) throw new Error(`<${node.tag}> has no bytes`);
  return Buffer.from(node.content);
}

/** Converts a time to seconds since the epoch, as stanzas carry it. */
export function seconds(milliseconds: number): string {
  return String(Math.floor(milliseconds / 1000));
}
