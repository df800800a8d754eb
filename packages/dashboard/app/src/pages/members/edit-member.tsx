import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { MemberResource, NewMember } from '../../../../src/schemas/admin.ts';
import { adminPathOf } from '../../api/admin.ts';
import { keyOf } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogButtons } from '../../components/dialog.tsx';
import { Field, Form } from '../../components/form.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { useTexts } from '../../texts/language.tsx';

export type EditedMember = MemberResource | 'new';

interface EditMemberProps {
  readonly workspaceId: string;
  /** The member to change, or `new` to add one; null if the dialog is closed. */
  readonly member: EditedMember | null;
  onClose(): void;
}

export function EditMember({ workspaceId, member, onClose }: EditMemberProps): ReactNode {
  const t = useTexts('members');
  const title = member === null || member === 'new' ? t.addTitle : t.changeTitle;
  return (
    <Dialog isOpen={member !== null} onClose={onClose} title={title}>
      {member !== null && <EditMemberForm workspaceId={workspaceId} member={member} onClose={onClose} />}
    </Dialog>
  );
}

function EditMemberForm({
  workspaceId,
  member,
  onClose,
}: EditMemberProps & { readonly member: EditedMember }): ReactNode {
  const t = useTexts('members');
  const common = useTexts('common');
  const { say } = useToasts();
  const queries = useQueryClient();
  const stored = member === 'new' ? null : member;
  const [email, setEmail] = useState(stored?.email ?? '');
  const [isVerified, setVerified] = useState(stored?.email_verified ?? false);
  const [isAdministrator, setAdministrator] = useState(stored?.administers_webhooks ?? false);
  const save = useMutation({
    mutationFn() {
      const body: NewMember = {
        email: email.trim(),
        email_verified: isVerified,
        administers_webhooks: isAdministrator,
      };
      return stored === null
        ? request(adminPathOf(workspaceId, 'members'), { method: 'POST', body })
        : request(adminPathOf(workspaceId, 'members', stored.id), { method: 'PATCH', body });
    },
    onSuccess() {
      onClose();
      say(stored === null ? t.done.add : t.done.change);
      void queries.invalidateQueries({ queryKey: keyOf(workspaceId, 'members') });
    },
  });
  return (
    <Form onSubmit={() => save.mutate()} error={save.error}>
      <Field name="email" label={t.email}>
        <input
          type="email"
          autoComplete="off"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          maxLength={320}
        />
      </Field>
      <Field name="email_verified" label={t.verifiedLabel} hint={t.verifiedHint}>
        <input type="checkbox" checked={isVerified} onChange={(event) => setVerified(event.target.checked)} />
      </Field>
      <Field name="administers_webhooks" label={t.role} hint={t.roleHint}>
        <select
          value={isAdministrator ? 'administrator' : 'member'}
          onChange={(event) => setAdministrator(event.target.value === 'administrator')}
        >
          <option value="member">{t.roles.member}</option>
          <option value="administrator">{t.roles.administrator}</option>
        </select>
      </Field>
      <DialogButtons onCancel={onClose}>
        <Button type="submit" kind="primary" isBusy={save.isPending}>
          {stored === null ? t.create : common.save}
        </Button>
      </DialogButtons>
    </Form>
  );
}
