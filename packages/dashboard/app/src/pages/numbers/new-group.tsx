import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
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
import { splitParticipants } from '../../domain/participants.ts';
import { useTexts } from '../../texts/language.tsx';

interface NewGroupProps {
  readonly workspaceId: string;
  readonly number: InstanceResource;
  readonly isOpen: boolean;
  onClose(): void;
}

export function CreateGroup(props: NewGroupProps): ReactNode {
  const t = useTexts('numbers');
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={t.createGroup}>
      <CreateForm {...props} />
    </Dialog>
  );
}

function CreateForm({ workspaceId, number, onClose }: NewGroupProps): ReactNode {
  const t = useTexts('numbers');
  const opened = useOpened(workspaceId, onClose);
  const [name, setName] = useState('');
  const [people, setPeople] = useState('');
  // One key for all attempts of this dialog, so that no attempt makes a second group.
  const [idempotencyKey] = useState(() => crypto.getRandomValues(new Uint32Array(4)).join('-'));
  const create = useMutation({
    mutationFn: async () => {
      const input = { name, participants: splitParticipants(people) };
      return unwrap(await clientOf(workspaceId).instances.createGroup(number.id, input, { idempotencyKey }))
        .data;
    },
    onSuccess: ({ id }) => opened(id, t.groupCreated),
  });
  return (
    <Form onSubmit={() => create.mutate()} error={create.error}>
      <Field name="name" label={t.name}>
        <input value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field name="participants" label={t.participants} hint={t.participantsHint}>
        <textarea rows={3} value={people} onChange={(event) => setPeople(event.target.value)} />
      </Field>
      <DialogButtons onCancel={onClose}>
        <Button type="submit" kind="primary" isBusy={create.isPending}>
          {t.createGroup}
        </Button>
      </DialogButtons>
    </Form>
  );
}

export function JoinGroup(props: NewGroupProps): ReactNode {
  const t = useTexts('numbers');
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={t.joinGroup}>
      <JoinForm {...props} />
    </Dialog>
  );
}

function JoinForm({ workspaceId, number, onClose }: NewGroupProps): ReactNode {
  const t = useTexts('numbers');
  const { say } = useToasts();
  const opened = useOpened(workspaceId, onClose);
  const [invite, setInvite] = useState('');
  const join = useMutation({
    mutationFn: async () =>
      unwrap(await clientOf(workspaceId).instances.joinGroup(number.id, { invite: invite.trim() })).data,
    onSuccess({ group }) {
      if (group) return opened(group.id, t.groupJoined);
      onClose();
      say(t.groupAsked);
    },
  });
  return (
    <Form onSubmit={() => join.mutate()} error={join.error}>
      <Field name="invite" label={t.inviteLink}>
        <input value={invite} onChange={(event) => setInvite(event.target.value)} autoComplete="off" />
      </Field>
      <DialogButtons onCancel={onClose}>
        <Button type="submit" kind="primary" isBusy={join.isPending}>
          {t.joinGroup}
        </Button>
      </DialogButtons>
    </Form>
  );
}

/** Closes the dialog and shows the group's page. */
function useOpened(workspaceId: string, onClose: () => void): (group: string, words: string) => void {
  const { say } = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  return (group, words) => {
    onClose();
    say(words);
    void queries.invalidateQueries({ queryKey: keyOf(workspaceId, 'numbers', 'groups') });
    void navigate({ to: '/w/$workspace/groups/$group', params: { workspace: workspaceId, group } });
  };
}
