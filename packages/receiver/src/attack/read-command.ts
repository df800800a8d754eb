import { parseArgs } from 'node:util';
import { checkSecret } from '../secret.ts';

export type Command = AttackCommand | 'help';

interface AttackCommand {
  readonly url: URL;
  readonly secret: string;
  readonly timeoutMs: number;
  readonly limitMs: number;
}

/** Throws an error that explains the first wrong argument. */
export function readCommand(args: readonly string[], defaultSecret = ''): Command {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      secret: { type: 'string', default: defaultSecret },
      timeout: { type: 'string', default: '5' },
      limit: { type: 'string', default: '60' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const [command, address = '', ...more] = positionals;
  if (values.help) return 'help';
  if (command !== 'attack' || more.length > 0)
    throw new Error('What to do? There is one command: attack <url>.');
  if (!/^https?:/.test(address) || !URL.canParse(address))
    throw new Error(`${address} is not an http or https URL.`);
  checkSecret(values.secret);
  return {
    url: new URL(address),
    secret: values.secret,
    timeoutMs: milliseconds('timeout', values.timeout),
    limitMs: milliseconds('limit', values.limit),
  };
}

function milliseconds(name: string, text: string): number {
  const seconds = Number(text);
  if (!(seconds > 0 && seconds <= 3600))
    throw new Error(`--${name} must be a number of seconds, up to 3600.`);
  return seconds * 1000;
}

export const USAGE: string = `Usage: trunkline-receiver attack <url> --secret <whsec_…>

Sends a receiver of webhooks every request that it has to accept or refuse, and reports what it does wrongly.
The events are of the type webhook.test; use it on receivers of your own.

  --secret   the endpoint's secret; the variable WEBHOOK_SECRET unless given
  --timeout  seconds to wait for each response, 5 unless given
  --limit    seconds that the whole may take, 60 unless given

Both times grow, up to sixfold, if the receiver takes long for genuine requests, as on a busy machine.

Exits with 0 if all is right, with 1 if not, with 2 if it could not begin.
`;
