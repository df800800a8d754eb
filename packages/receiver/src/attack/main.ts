import { USAGE, readCommand, type Command } from './read-command.ts';
import { runAttack } from './run-attack.ts';

/** Returns the exit code: 0 if the receiver was right, 1 if it was wrong, 2 for wrong arguments. */
export async function main(): Promise<number> {
  let command: Command;
  try {
    command = readCommand(process.argv.slice(2), process.env['WEBHOOK_SECRET']);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return 2;
  }
  if (command === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  const { right, wrong, gaveUp } = await runAttack({
    ...command,
    onVerdict: (name, verdict) =>
      process.stdout.write(`${verdict.right ? 'ok   ' : 'WRONG'}  ${name}: ${verdict.what}\n`),
  });
  if (gaveUp)
    process.stdout.write('\nIs this the URL of the receiver, and the secret the one that it has?\n');
  process.stdout.write(`\n${right} right, ${wrong} wrong\n`);
  return wrong === 0 ? 0 : 1;
}
