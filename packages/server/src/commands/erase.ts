import type { ErasedPerson } from '@trunkline/core';
import { CommandError } from '../errors/command-error.ts';
import type { CommandHandler } from './command.ts';
import { requireConfirmation } from './confirm.ts';
import { withLocalMedia } from './local-service.ts';
import { personMeant, showProgress } from './person.ts';
import { refusable } from './refusals.ts';
import type { Text } from '../terminal/styled-text.ts';
import { facts } from '../terminal/table.ts';

/**
 * Unless `--yes` is given, counts the data first and asks; with `--dry-run`, only counts. After an interruption, the
 * same command erases the rest.
 */
export const eraseCommand: CommandHandler = (call) =>
  withLocalMedia(call, async ({ admin }) => {
    const { options, output, signal } = call;
    const person = await personMeant(admin, call);
    const onProgress = showProgress(call);
    const isDry = options.flag('dry-run');
    if (isDry || !options.flag('yes')) {
      const found = await refusable(admin.erasePerson(person, { dryRun: true, signal, onProgress }));
      if (isDry) return output.result({ data: { erased: false, ...erasedResult(found) } }, described(found));
      await requireConfirmation(call, `${summed(found)} will be erased for good.`);
    }
    const erased = await refusable(admin.erasePerson(person, { signal, onProgress }));
    output.result({ data: { erased: true, ...erasedResult(erased) } }, described(erased));
    if (erased.left.length > 0) throw new CommandError(erased.left, { code: 'INCOMPLETE' });
    output.note('Backups that were made before still have it: docs/privacy.md says what to do about them.');
  });

/** Names the data to erase, as the beginning of a sentence. */
function summed({ numbers, messages, files, events, contacts }: ErasedPerson): string {
  const who = numbers.length === 0 ? 'a person without a number' : numbers.join(', ');
  return `${messages} messages of ${who}, with ${files} files, ${events} events and ${contacts} contacts,`;
}

function described(counts: ErasedPerson): Text {
  return facts({
    numbers: counts.numbers.join(', ') || null,
    contacts: counts.contacts,
    messages: counts.messages,
    files: counts.files,
    events: counts.events,
    'session values': counts.sessionValues,
  });
}

function erasedResult(counts: ErasedPerson): object {
  return {
    numbers: counts.numbers,
    contact_ids: counts.contactIds,
    messages: counts.messages,
    files: counts.files,
    events: counts.events,
    session_values: counts.sessionValues,
    contacts: counts.contacts,
    left: counts.left,
  };
}
