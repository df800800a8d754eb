import { useState } from 'react';
import type { ReactNode } from 'react';
import type { MemberResource } from '../../../../src/schemas/admin.ts';
import { Button } from '../../components/button.tsx';
import { Id } from '../../components/id.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { useIsAdmin } from '../../shell/session-context.ts';
import { useTexts } from '../../texts/language.tsx';
import styles from './member-table.module.css';
import { RemoveMember } from './remove-member.tsx';

interface MemberTableProps {
  readonly workspaceId: string;
  readonly members: readonly MemberResource[];
  onChange(member: MemberResource): void;
}

export function MemberTable({ workspaceId, members, onChange }: MemberTableProps): ReactNode {
  const t = useTexts('members');
  const common = useTexts('common');
  const isAdmin = useIsAdmin();
  const [removed, setRemoved] = useState<MemberResource | null>(null);
  return (
    <>
      <Table
        caption={t.caption}
        rows={members}
        keyOf={({ id }) => id}
        columns={[
          {
            key: 'email',
            title: t.email,
            cell: ({ id, email }) => (
              <span className={styles['who']}>
                <strong>{email}</strong>
                <Id value={id} />
              </span>
            ),
          },
          {
            key: 'verified',
            title: t.verified,
            cell: ({ email_verified }) =>
              email_verified ? (
                <StatusBadge tone="good">{t.verifiedStates.yes}</StatusBadge>
              ) : (
                <StatusBadge tone="idle">{t.verifiedStates.no}</StatusBadge>
              ),
          },
          {
            key: 'role',
            title: t.role,
            cell: ({ administers_webhooks }) =>
              administers_webhooks ? t.roles.administrator : t.roles.member,
          },
          { key: 'added', title: t.added, cell: ({ created_at }) => <Time at={created_at} as="ago" /> },
          ...(isAdmin
            ? [
                {
                  key: 'actions',
                  title: common.actions,
                  isAction: true,
                  cell: (member: MemberResource) => (
                    <span className={styles['actions']}>
                      <Button aria-label={t.changeOne(member.email)} onClick={() => onChange(member)}>
                        {t.change}
                      </Button>
                      <Button
                        kind="risky"
                        icon="remove"
                        aria-label={t.removeOne(member.email)}
                        onClick={() => setRemoved(member)}
                      >
                        {t.remove}
                      </Button>
                    </span>
                  ),
                },
              ]
            : []),
        ]}
      />
      <RemoveMember workspaceId={workspaceId} member={removed} onClose={() => setRemoved(null)} />
    </>
  );
}
