import type { Program } from '@trunkline/test-support/start-program';
import { startNodeProgram } from '@trunkline/test-support/start-program';
import { HANG_MS } from '@trunkline/test-support';
import type { Accepted } from '../programs/loaded-service.ts';
import { DEEDS } from './step.ts';

/** A started `loaded-service`. The last line of a killed process may be incomplete, and then does not count. */
export interface RunningService {
  /** The accepted steps that the service printed, by their names. */
  accepted(): ReadonlyMap<string, Accepted>;
  /** The texts of the messages that the service printed as arrived on the network. */
  arrived(): readonly string[];
  /** The names of the messages that the service printed as cancelled. */
  cancelled(): readonly string[];
  /** How many messages and actions were being sent, as printed last. */
  sending(): number;
  /** The idempotency keys that the service printed as lost. */
  forgotten(): readonly string[];
  /** The messages that the service printed as not changed by their action. */
  unchanged(): readonly string[];
  /** The received messages that the service printed, those of one chat newest first. */
  stored(): readonly StoredMessage[];
  /** Resolves with the first printed line that matches. Rejects if the service ends first. */
  line(pattern: RegExp): Promise<string>;
  go(): void;
  kill(): Promise<void>;
  /** Resolves when the service has ended; rejects if it failed. */
  readonly ended: Promise<void>;
}

interface StoredMessage {
  readonly place: number;
  readonly text: string;
  readonly isRead: boolean;
}

export function startLoadedService(builtProgram: URL, args: readonly string[]): RunningService {
  const program = startNodeProgram(builtProgram, { args });
  const named = (word: string): readonly string[] =>
    Array.from(program.stdout().matchAll(new RegExp(`^${word} (\\S+)$`, 'gm')), ([, name = '']) => name);
  return {
    accepted: () => acceptedIn(program),
    arrived: () => named('arrived'),
    cancelled: () => named('cancelled'),
    sending: () => Number(named('sending').at(-1)),
    forgotten: () => named('forgotten'),
    unchanged: () => named('unchanged'),
    stored: () =>
      Array.from(
        program.stdout().matchAll(/^stored (\d+) (\S+) (read|unread)$/gm),
        ([, place, text = '', state]) => ({ place: Number(place), text, isRead: state === 'read' }),
      ),
    line: async (pattern) => (await program.printed(pattern, 10 * HANG_MS))[0],
    go: () => program.endInput(),
    kill: () => program.kill(),
    ended: program.ended.then((end) => {
      if (end !== 0 && end !== 'SIGKILL') throw new Error(`The service failed: ${program.stderr()}`);
    }),
  };
}

function acceptedIn(program: Program): ReadonlyMap<string, Accepted> {
  const actions = [...program.stdout().matchAll(/^acted (\w+) (\S+) (act_\w{26})$/gm)].map(
    ([, word, name = '', id = '']) => ({ deed: DEEDS.find((deed) => deed === word) ?? 'reaction', name, id }),
  );
  const byName = Map.groupBy(actions, ({ name }) => name);
  return new Map(
    Array.from(
      program.stdout().matchAll(/^accepted (\d+) (\S+) (msg_\w{26})$/gm),
      ([, place, name = '', id = '']) => {
        const own = (byName.get(name) ?? []).map((action) => [action.deed, action.id] as const);
        return [name, { place: Number(place), name, id, actions: own }];
      },
    ),
  );
}
