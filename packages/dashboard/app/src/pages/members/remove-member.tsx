import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { MemberResource } from '../../../../src/schemas/admin.ts';
import { adminPathOf, keysQuery } from '../../api/admin.ts';
import { keyOf } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { Confirm } from '../../components/confirm.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { keyState } from '../../domain/key-state.ts';
import { useLanguage, useTexts } from '../../texts/language.tsx';

interface RemoveMemberProps {
  readonly workspaceId: string;
  /** The member to remove; null if the dialog is closed. */
  readonly member: MemberResource | null;
  onClose(): void;
}

/** Lists the member's active keys, which are revoked as well. */
export function RemoveMember({ workspaceId, member, onClose }: RemoveMemberProps): ReactNode {
  const t = useTexts('members');
  const { locale } = useLanguage();
  const { say } = useToasts();
  const queries = useQueryClient();
  const keys = useQuery({ ...keysQuery(workspaceId), enabled: member !== null }).data;
  const revoked = keys
    ?.filter((key) => key.member_id === member?.id && keyState(key, Date.now()) === 'active')
    .map(({ name }) => name);
  return (
    <Confirm
      isOpen={member !== null}
      onClose={onClose}
      title={t.removeTitle(member?.email ?? '')}
      verb={t.remove}
      act={() => request(adminPathOf(workspaceId, 'members', member?.id ?? ''), { method: 'DELETE' })}
      onDone={() => {
        say(t.done.remove);
        void queries.invalidateQueries({ queryKey: keyOf(workspaceId, 'members') });
        void queries.invalidateQueries({ queryKey: keyOf(workspaceId, 'keys') });
      }}
    >
      {t.removeText}{' '}
      {revoked !== undefined &&
        (revoked.length === 0
          ? t.removeNoKeys
          : t.removeKeys(new Intl.ListFormat(locale, { type: 'unit' }).format(revoked)))}
    </Confirm>
  );
}
