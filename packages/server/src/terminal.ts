import { printableLines } from './printable.ts';

/** The terminal on which people read the server's lines. */
export interface Terminal {
  /** Whether stdout is a terminal: secrets are printed only there, and never to a log or a pipe. */
  readonly isTTY: boolean;
  /** A line on stdout. */
  say(line: string): void;
}

/** Lines may contain paths, proxies and codes of the network, none of which may control the terminal. */
export const processTerminal: Terminal = {
  isTTY: process.stdout.isTTY,
  say: (line) => void process.stdout.write(`${printableLines(line)}\n`),
};
