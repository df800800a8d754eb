/** Where people read what the server says to them. */
export interface Terminal {
  /** A line on stdout. */
  say(line: string): void;
  /** A line on stderr. */
  warn(line: string): void;
}

export const processTerminal: Terminal = {
  say: (line) => void process.stdout.write(`${line}\n`),
  warn: (line) => void process.stderr.write(`${line}\n`),
};
