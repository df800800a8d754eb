import { printableLines } from './printable.ts';

/** The terminal on which people read the server's lines. */
export interface Terminal {
  /** Whether stdout is a terminal: secrets are printed only there, and never to a log or a pipe. */
  readonly isTTY: boolean;
  /** A line on stdout. */
  say(line: string): void;
}

/** Paths, proxies and codes of the network are in the lines: none of them does anything to the terminal. */
export const processTerminal: Terminal = {
  isTTY: process.stdout.isTTY,
  say: (line) => void process.stdout.write(`${printableLines(line)}\n`),
};
