import { CommandError, EXIT, usageError } from '../errors/command-error.ts';
import type { Call } from './command.ts';

/** Throws unless the person confirms, at a prompt or with `--yes`. `what` is a sentence that states the effect. */
export async function requireConfirmation(
  { output, options }: Pick<Call, 'output' | 'options'>,
  what: string,
): Promise<void> {
  if (options.flag('yes')) return;
  if (!output.isInteractive) throw usageError(`${what} Nothing was done: add --yes if you want that.`);
  const { confirm, isCancel } = await import('@clack/prompts');
  const answer = await confirm({ message: what, active: 'Go on', inactive: 'Leave it', initialValue: false });
  if (isCancel(answer) || !answer)
    throw new CommandError('Nothing was done.', { exitCode: EXIT.failed, code: 'NOT_CONFIRMED' });
}
