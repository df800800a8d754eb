import { unwrap } from '@trunkline/http/client';
import type { ParticipantResultResource } from '@trunkline/http/client';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { clientOf } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogButtons } from '../../components/dialog.tsx';
import { Field, Form } from '../../components/form.tsx';
import { failedResults, splitParticipants } from '../../domain/participants.ts';
import { useTexts } from '../../texts/language.tsx';
import styles from './group-page.module.css';
import { useOutcomeText } from './outcome-text.ts';
import { useGroupChange } from './use-group-change.ts';

interface AddPeopleProps {
  readonly workspaceId: string;
  readonly groupId: string;
  readonly isOpen: boolean;
  onClose(): void;
}

export function AddPeople(props: AddPeopleProps): ReactNode {
  const t = useTexts('groups');
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={t.add}>
      <AddForm {...props} />
    </Dialog>
  );
}

/** Stays open with the people who could not be added, each with the reason. */
function AddForm({ workspaceId, groupId, onClose }: AddPeopleProps): ReactNode {
  const t = useTexts('groups');
  const outcomeText = useOutcomeText();
  const [people, setPeople] = useState('');
  const [failed, setFailed] = useState<readonly ParticipantResultResource[]>([]);
  const add = useGroupChange(workspaceId, {
    act: async (participants: readonly string[]) =>
      unwrap(await clientOf(workspaceId).groups.changeParticipants(groupId, { change: 'add', participants }))
        .data,
    words: (results) => {
      const count = results.length - failedResults(results).length;
      return count > 0 ? t.addedCount(count) : null;
    },
    onDone(results) {
      const left = failedResults(results);
      setFailed(left);
      setPeople(left.map(({ participant }) => participant).join('\n'));
      if (left.length === 0) onClose();
    },
  });
  return (
    <Form onSubmit={() => add.mutate(splitParticipants(people))} error={add.error}>
      <Field name="participants" label={t.participants} hint={t.addHint}>
        <textarea rows={4} value={people} onChange={(event) => setPeople(event.target.value)} />
      </Field>
      {failed.length > 0 && (
        <ul className={styles['failed']} role="status">
          {failed.map((result) => (
            <li key={result.participant}>{outcomeText(result)}</li>
          ))}
        </ul>
      )}
      <DialogButtons onCancel={onClose}>
        <Button type="submit" kind="primary" isBusy={add.isPending}>
          {t.add}
        </Button>
      </DialogButtons>
    </Form>
  );
}
