import { unwrap } from '@trunkline/http/client';
import type { GroupDetailResource } from '@trunkline/http/client';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { clientOf } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogButtons } from '../../components/dialog.tsx';
import { Field, Form } from '../../components/form.tsx';
import { useTexts } from '../../texts/language.tsx';
import { useGroupChange } from './use-group-change.ts';

interface EditGroupProps {
  readonly workspaceId: string;
  readonly group: GroupDetailResource;
  readonly isOpen: boolean;
  onClose(): void;
}

export function EditGroup(props: EditGroupProps): ReactNode {
  const t = useTexts('groups');
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={t.edit}>
      <EditForm {...props} />
    </Dialog>
  );
}

/** Sends only what was changed, because each field is a change of its own to the network. */
function EditForm({ workspaceId, group, onClose }: EditGroupProps): ReactNode {
  const t = useTexts('groups');
  const common = useTexts('common');
  const [name, setName] = useState(group.name);
  const [description, setDescription] = useState(group.description ?? '');
  const changes = {
    ...(name !== group.name && { name }),
    ...(description !== (group.description ?? '') && { description }),
  };
  const edit = useGroupChange(workspaceId, {
    act: async () => unwrap(await clientOf(workspaceId).groups.update(group.id, changes)).data,
    words: () => t.edited,
    onDone: onClose,
  });
  const submit = (): void => (Object.keys(changes).length === 0 ? onClose() : edit.mutate(undefined));
  return (
    <Form onSubmit={submit} error={edit.error}>
      <Field name="name" label={t.name}>
        <input value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field name="description" label={t.description}>
        <textarea rows={4} value={description} onChange={(event) => setDescription(event.target.value)} />
      </Field>
      <DialogButtons onCancel={onClose}>
        <Button type="submit" kind="primary" isBusy={edit.isPending}>
          {common.save}
        </Button>
      </DialogButtons>
    </Form>
  );
}
