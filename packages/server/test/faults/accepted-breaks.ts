import type { Mode } from './faults.ts';
import type { Letter } from './promises.ts';
import type { Phase } from './simulation.ts';

/** Cells of the matrix in which a promise may break, for a reason that a user would accept. */
export interface AcceptedBreak {
  readonly operation: string;
  readonly modes: readonly Mode[];
  readonly letters: readonly Letter[];
  /** The phase in which the break is accepted; by default, any. */
  readonly phase?: Phase;
  /** Whether the promises may hold as well, because chance decides. */
  readonly mayHold?: true;
  readonly why: string;
}

/**
 * The list can only shrink, because a listed cell whose promises hold in normal operation fails the suite too, unless
 * chance decides.
 */
export const ACCEPTED_BREAKS: readonly AcceptedBreak[] = [
  {
    operation: 'dns.resolve',
    modes: ['once', 'lost once', 'rejects', 'answer lost'],
    letters: ['S'],
    why: "A name that does not resolve is the caller's to correct, who gets a 422 that says so.",
  },
  {
    operation: 'connection.send',
    modes: ['rejects', 'one rejects'],
    letters: ['F'],
    why: 'A gateway that fails each send may have sent the message: it is sent five times under its network id, and then fails with `send_outcome_unknown`, as docs/decisions.md has it.',
  },
  {
    operation: 'connection.openFile',
    modes: ['once', 'lost once', 'rejects', 'answer lost', 'hangs', 'one rejects', 'one hangs'],
    letters: ['D', 'S'],
    why: 'A file that the network does not have now is no failure, and is asked for again after one minute, then two, and so on for a day: later than in 90 s.',
  },
  {
    operation: 'gateway.isSessionValueOf',
    modes: ['once', 'lost once', 'rejects', 'answer lost'],
    letters: ['S'],
    why: 'Only the erasure of a person calls it, which rejects with the error.',
  },
  {
    operation: 'media.put',
    modes: ['rejects', 'answer lost', 'hangs'],
    letters: ['D'],
    why: 'The sandbox keeps a file until it was read once; a network keeps it for weeks, and the file is asked for again.',
  },
  {
    operation: 'uploads.reserve',
    modes: ['rejects', 'answer lost', 'hangs'],
    letters: ['D'],
    why: 'The same.',
  },
  {
    operation: 'downloads.complete',
    modes: ['fenced', 'stale'],
    letters: ['D'],
    why: 'The same, of a storage that says that the message needs its file no longer.',
  },
  {
    operation: 'downloads.listNext',
    modes: ['none'],
    letters: ['D'],
    why: 'A storage that hides a download breaks its contract. All instances are looked at again after five minutes.',
  },
  {
    operation: 'instances.write',
    modes: ['fenced'],
    letters: ['H', 'N'],
    why: 'A storage that calls a write without a lease fenced breaks its contract: a defect, which is a 500 and a line for each request.',
  },
  {
    operation: 'messages.change',
    modes: ['stale'],
    letters: ['B'],
    why: 'A storage that calls each change overtaken breaks its contract. Each of the messages that are sent at the same time tries a hundred times before it pauses, and then says so.',
  },
  {
    operation: 'messages.queueHeads',
    modes: ['one hangs', 'one 30 s'],
    letters: ['I'],
    why: 'Queued messages are looked for in one query for all numbers, which is given up after 15 to 20 s: the others are delayed by that once.',
  },
  {
    operation: 'sessions.load',
    modes: ['rejects', 'hangs', '30 s'],
    letters: ['D'],
    phase: 'start',
    why: 'A number that the network refuses in the same minutes is tried less and less often, so that the network does not ban it, and is back a few minutes later.',
  },
  {
    operation: 'sessions.load',
    modes: ['rejects'],
    letters: ['D'],
    phase: 'running',
    mayHold: true,
    why: 'The same, if the last try falls into the end of the failure: the waits have a random part.',
  },
  {
    operation: 'gateway.open',
    modes: ['rejects', 'hangs'],
    letters: ['D'],
    phase: 'start',
    why: 'A late file is asked for again after one minute, then two, and so on for a day.',
  },
  {
    operation: 'leases.claim',
    modes: ['hangs'],
    letters: ['D'],
    phase: 'start',
    why: 'The same.',
  },
  {
    operation: 'leases.renew',
    modes: ['hangs'],
    letters: ['D'],
    phase: 'start',
    why: 'The same.',
  },
  {
    operation: 'subscriptions.register',
    modes: ['rejects'],
    letters: ['N'],
    phase: 'start',
    why: 'Each start says it once, and whoever restarts the process every five seconds reads it as often.',
  },
  {
    operation: 'storage.setting',
    modes: ['rejects'],
    letters: ['N'],
    phase: 'start',
    why: 'The same.',
  },
  {
    operation: 'storage.setting',
    modes: ['30 s'],
    letters: ['T'],
    phase: 'start',
    why: 'A start of several slow calls has no bound of its own; the process says that it is starting (`/readyz`).',
  },
  {
    operation: 'storage.open',
    modes: ['hangs'],
    letters: ['D', 'S', 'T'],
    phase: 'start',
    why: 'It may migrate a large database, so it has no bound; the process says that it is starting (`/readyz`).',
  },
];

/** Cells in which promises may also break on WhatsApp. */
export const ALSO_ACCEPTED_ON_WHATSAPP: readonly AcceptedBreak[] = [
  {
    operation: 'sessions.save',
    modes: ['hangs'],
    letters: ['F'],
    why: 'The keys are stored after the message is written. If that takes so long that the connection ends five times, the outcome of the message stays unknown, as docs/decisions.md has it.',
  },
];
