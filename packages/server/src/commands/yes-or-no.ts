import type { Call } from './command.ts';
import { usageError } from '../errors/command-error.ts';

/** The value of `--name <yes|no>`; undefined if it is not given. */
export function yesOrNoIn(options: Call['options'], name: string): boolean | undefined {
  const text = options.text(name);
  if (text === undefined) return undefined;
  if (text !== 'yes' && text !== 'no') throw usageError(`--${name} must be yes or no.`);
  return text === 'yes';
}

export function yesOrNo(value: boolean): string {
  return value ? 'yes' : 'no';
}
