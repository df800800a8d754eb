import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { NewKey, NewKeyResource } from '../../../../src/schemas/admin.ts';
import { adminPathOf, membersQuery } from '../../api/admin.ts';
import { keyOf } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { Button } from '../../components/button.tsx';
import { CheckGroup } from '../../components/check-group.tsx';
import { Dialog, DialogButtons } from '../../components/dialog.tsx';
import { Field, Form } from '../../components/form.tsx';
import { useTexts } from '../../texts/language.tsx';
import { READ_SCOPES, SCOPES } from './scopes.tsx';

interface CreateKeyProps {
  readonly workspaceId: string;
  readonly isOpen: boolean;
  onClose(): void;
  /** Called with the key and its token, which no other response contains. */
  onCreated(key: NewKeyResource): void;
}

export function CreateKey(props: CreateKeyProps): ReactNode {
  const t = useTexts('keys');
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={t.createTitle}>
      <CreateKeyForm {...props} />
    </Dialog>
  );
}

function CreateKeyForm({ workspaceId, onClose, onCreated }: CreateKeyProps): ReactNode {
  const t = useTexts('keys');
  const queries = useQueryClient();
  const members = useQuery(membersQuery(workspaceId)).data ?? [];
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<NewKey['scopes']>([]);
  const [memberId, setMemberId] = useState('');
  const [lastDay, setLastDay] = useState('');
  const [isTried, setTried] = useState(false);
  const expiresAt = endOfDay(lastDay);
  const isPast = expiresAt !== null && expiresAt.getTime() <= Date.now();
  const create = useMutation({
    mutationFn() {
      const body: NewKey = {
        name,
        scopes,
        ...(memberId !== '' && { member_id: memberId }),
        ...(expiresAt !== null && { expires_at: expiresAt.toISOString() }),
      };
      return request<NewKeyResource>(adminPathOf(workspaceId, 'keys'), { method: 'POST', body });
    },
    gcTime: 0,
    onSuccess(key) {
      onClose();
      onCreated(key);
      void queries.invalidateQueries({ queryKey: keyOf(workspaceId, 'keys') });
    },
  });
  const submit = (): void => {
    setTried(true);
    if (scopes.length > 0 && !isPast) create.mutate();
  };
  return (
    <Form onSubmit={submit} error={create.error}>
      <Field name="name" label={t.name} hint={t.nameHint}>
        <input value={name} onChange={(event) => setName(event.target.value)} maxLength={255} />
      </Field>
      <CheckGroup
        name="scopes"
        label={t.scopesLabel}
        chosen={scopes}
        onChoose={setScopes}
        error={isTried && scopes.length === 0 ? t.scopesMissing : undefined}
        options={SCOPES.map((value) => ({ value, label: t.scopes[value], hint: value }))}
        presets={[
          { label: t.everything, values: SCOPES },
          { label: t.readOnly, values: READ_SCOPES },
        ]}
      />
      {members.length > 0 && (
        <Field name="member_id" label={t.owner} hint={t.ownerHint}>
          <select value={memberId} onChange={(event) => setMemberId(event.target.value)}>
            <option value="">{t.service}</option>
            {members.map(({ id, email }) => (
              <option key={id} value={id}>
                {email}
              </option>
            ))}
          </select>
        </Field>
      )}
      <Field
        name="expires_at"
        label={t.expires}
        hint={t.expiresHint}
        error={isTried && isPast ? t.expiresPast : undefined}
      >
        <input type="date" value={lastDay} onChange={(event) => setLastDay(event.target.value)} />
      </Field>
      <DialogButtons onCancel={onClose}>
        <Button type="submit" kind="primary" isBusy={create.isPending}>
          {t.create}
        </Button>
      </DialogButtons>
    </Form>
  );
}

/** The last second of a day in the viewer's zone; null if no day is given. */
function endOfDay(day: string): Date | null {
  const end = new Date(`${day}T23:59:59`);
  return Number.isNaN(end.getTime()) ? null : end;
}
