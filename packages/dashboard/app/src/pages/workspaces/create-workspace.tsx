import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { WorkspaceResource } from '../../../../src/schemas/admin.ts';
import { request } from '../../api/request.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogButtons } from '../../components/dialog.tsx';
import { Field, Form } from '../../components/form.tsx';
import { useTexts } from '../../texts/language.tsx';

interface CreateWorkspaceProps {
  readonly isOpen: boolean;
  onClose(): void;
}

/** Creates a workspace and leads to its page, where its plan and its keys are. */
export function CreateWorkspace(props: CreateWorkspaceProps): ReactNode {
  const t = useTexts('workspaces');
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={t.createTitle}>
      <CreateWorkspaceForm {...props} />
    </Dialog>
  );
}

function CreateWorkspaceForm({ onClose }: CreateWorkspaceProps): ReactNode {
  const t = useTexts('workspaces');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const create = useMutation({
    mutationFn: () => request<WorkspaceResource>('admin/workspaces', { method: 'POST', body: { name } }),
    async onSuccess({ id }) {
      onClose();
      void queries.invalidateQueries({ queryKey: ['workspaces'] });
      await navigate({ to: '/workspaces/$workspace', params: { workspace: id } });
    },
  });
  return (
    <Form onSubmit={() => create.mutate()} error={create.error}>
      <Field name="name" label={t.name} hint={t.createHint}>
        <input value={name} onChange={(event) => setName(event.target.value)} maxLength={255} />
      </Field>
      <DialogButtons onCancel={onClose}>
        <Button type="submit" kind="primary" isBusy={create.isPending}>
          {t.create}
        </Button>
      </DialogButtons>
    </Form>
  );
}
