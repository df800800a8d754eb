import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@trunkline/http/client';
import type { InstanceResource } from '@trunkline/http/client';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { clientOf } from '../../api/client.ts';
import { keyOf } from '../../api/keys.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogButtons } from '../../components/dialog.tsx';
import { Field, Form } from '../../components/form.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { useTexts } from '../../texts/language.tsx';

interface ChangePaceProps {
  readonly workspaceId: string;
  readonly number: InstanceResource;
  readonly isOpen: boolean;
  onClose(): void;
}

/** Asks how fast the number may send. */
export function ChangePace(props: ChangePaceProps): ReactNode {
  const t = useTexts('numbers');
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={t.pace}>
      <PaceForm {...props} />
    </Dialog>
  );
}

const CHOICES = ['default', 'gentle', 'off'] as const;
type Choice = (typeof CHOICES)[number];

function PaceForm({ workspaceId, number, onClose }: ChangePaceProps): ReactNode {
  const t = useTexts('numbers');
  const common = useTexts('common');
  const { say } = useToasts();
  const queries = useQueryClient();
  const [choice, setChoice] = useState<Choice>(number.pace ?? 'default');
  const change = useMutation({
    async mutationFn() {
      const pace = choice === 'default' ? null : choice;
      return unwrap(await clientOf(workspaceId).instances.update(number.id, { pace }));
    },
    onSuccess() {
      onClose();
      say(t.done.pace);
      void queries.invalidateQueries({ queryKey: keyOf(workspaceId, 'numbers') });
    },
  });
  return (
    <Form onSubmit={() => change.mutate()} error={change.error}>
      <Field name="pace" label={t.pace} hint={t.paceMeanings[choice]}>
        <select
          value={choice}
          onChange={({ target }) => setChoice(CHOICES.find((one) => one === target.value) ?? 'default')}
        >
          {CHOICES.map((one) => (
            <option key={one} value={one}>
              {t.paces[one]}
            </option>
          ))}
        </select>
      </Field>
      <DialogButtons onCancel={onClose}>
        <Button type="submit" kind="primary" isBusy={change.isPending}>
          {common.save}
        </Button>
      </DialogButtons>
    </Form>
  );
}
