import { useState } from 'react';
import type { ReactNode } from 'react';
import { Button } from '../../components/button.tsx';
import { DialogButtons } from '../../components/dialog.tsx';
import { Field, Form } from '../../components/form.tsx';
import { useTexts } from '../../texts/language.tsx';
import { useChange } from './use-change.ts';
import type { ChangeFormProps } from './use-change.ts';

export function RenameForm({ workspace, onClose }: ChangeFormProps): ReactNode {
  const t = useTexts('workspaces');
  const common = useTexts('common');
  const [name, setName] = useState(workspace.name);
  const change = useChange(workspace.id, { said: t.done.rename, onDone: onClose });
  return (
    <Form onSubmit={() => change.mutate({ name })} error={change.error}>
      <Field name="name" label={t.name}>
        <input value={name} onChange={(event) => setName(event.target.value)} maxLength={255} />
      </Field>
      <DialogButtons onCancel={onClose}>
        <Button type="submit" kind="primary" isBusy={change.isPending}>
          {common.save}
        </Button>
      </DialogButtons>
    </Form>
  );
}
