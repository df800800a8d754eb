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

interface RenameProps {
  readonly workspaceId: string;
  readonly number: InstanceResource;
  readonly isOpen: boolean;
  onClose(): void;
}

export function Rename(props: RenameProps): ReactNode {
  const t = useTexts('numbers');
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={t.rename}>
      <RenameForm {...props} />
    </Dialog>
  );
}

function RenameForm({ workspaceId, number, onClose }: RenameProps): ReactNode {
  const t = useTexts('numbers');
  const common = useTexts('common');
  const { say } = useToasts();
  const queries = useQueryClient();
  const [name, setName] = useState(number.name);
  const rename = useMutation({
    mutationFn: async () => unwrap(await clientOf(workspaceId).instances.update(number.id, { name })),
    onSuccess() {
      onClose();
      say(t.done.rename);
      void queries.invalidateQueries({ queryKey: keyOf(workspaceId, 'numbers') });
    },
  });
  return (
    <Form onSubmit={() => rename.mutate()} error={rename.error}>
      <Field name="name" label={t.name}>
        <input value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <DialogButtons onCancel={onClose}>
        <Button type="submit" kind="primary" isBusy={rename.isPending}>
          {common.save}
        </Button>
      </DialogButtons>
    </Form>
  );
}
