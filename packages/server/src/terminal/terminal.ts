import { printableLines } from './printable.ts';

/** The terminal on which people read the server's lines. */
export interface Terminal {
  /** Whether stdout is a terminal: secrets are printed only there, and never to a log or a pipe. */
  readonly isTTY: boolean;
  say(line: string): void;
}

/** Escapes lines, because they may contain paths and text from the network, which must not control the terminal. */
export const processTerminal: Terminal = {
  isTTY: process.stdout.isTTY,
  say: (line) => void process.stdout.write(`${printableLines(line)}\n`),
};
