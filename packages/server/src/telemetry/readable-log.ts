import { styleText } from 'node:util';
import { printable, printableJson } from '../terminal/printable.ts';

type Style = Parameters<typeof styleText>[0];

const LEVELS: Readonly<Record<string, readonly [name: string, style: Style]>> = {
  10: ['TRACE', 'dim'],
  20: ['DEBUG', 'dim'],
  30: ['INFO ', 'green'],
  40: ['WARN ', 'yellow'],
  50: ['ERROR', 'red'],
  60: ['FATAL', 'red'],
};
/** An error at this level or above should not happen, so its stack is shown. */
const ERROR_LEVEL = 50;

/** A log line for a terminal: the time, the level, the text, then its facts. */
export function readableLine(line: string, { isColored }: { readonly isColored: boolean }): string {
  const paint = (style: Style, text: string): string =>
    isColored ? styleText(style, text, { validateStream: false }) : text;
  const { level, time, msg, err, pid: _, hostname: __, ...facts } = JSON.parse(line) as Entry; // pino wrote it
  const [name, style] = LEVELS[level] ?? [String(level), 'dim'];
  const about = Object.entries(facts).map(
    ([key, value]) => `${paint('dim', `${printable(key)}=`)}${valueText(value)}`,
  );
  const shown = [paint('dim', timeOfDay(time)), paint(style, name), printable(msg ?? ''), ...about];
  return [
    shown.join(' '),
    ...errorLines(err, level).map((text) => paint('dim', `    ${printable(text)}`)),
    '',
  ].join('\n');
}

interface Entry extends Readonly<Record<string, unknown>> {
  readonly level: number;
  readonly time: number;
  readonly msg?: string;
  readonly err?: unknown;
}

function timeOfDay(epochMs: number): string {
  const at = new Date(epochMs);
  const [hours, minutes, seconds] = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${hours}:${minutes}:${seconds}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}

/** Shows a text without spaces as it is, and anything else as JSON. */
function valueText(value: unknown): string {
  return typeof value === 'string' && /^\S+$/.test(value) ? printable(value) : printableJson(value);
}

function errorLines(err: unknown, level: number): readonly string[] {
  if (err === undefined) return [];
  const { type, message, stack } = typeof err === 'object' && err !== null ? (err as SerializedError) : {};
  if (level >= ERROR_LEVEL && stack !== undefined) return stack.split('\n').map((line) => line.trimEnd());
  return [message === undefined ? printableJson(err) : `${type ?? 'Error'}: ${message}`];
}

interface SerializedError {
  readonly type?: string;
  readonly message?: string;
  readonly stack?: string;
}
