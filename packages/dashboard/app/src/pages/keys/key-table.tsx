import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { KeyResource } from '../../../../src/schemas/admin.ts';
import { adminPathOf, membersQuery } from '../../api/admin.ts';
import { keyOf } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { Id } from '../../components/id.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { KEY_TONES, keyState } from '../../domain/key-state.ts';
import { useIsAdmin } from '../../shell/session-context.ts';
import { useTexts } from '../../texts/language.tsx';
import styles from './key-table.module.css';
import { Scopes } from './scopes.tsx';

interface KeyTableProps {
  readonly workspaceId: string;
  readonly keys: readonly KeyResource[];
}

export function KeyTable({ workspaceId, keys }: KeyTableProps): ReactNode {
  const t = useTexts('keys');
  const common = useTexts('common');
  const { say } = useToasts();
  const queries = useQueryClient();
  const isAdmin = useIsAdmin();
  const [asked, setAsked] = useState<KeyResource | null>(null);
  const members = useQuery(membersQuery(workspaceId)).data ?? [];
  const ownerOf = ({ member_id }: KeyResource): string =>
    member_id === null ? t.service : (members.find(({ id }) => id === member_id)?.email ?? t.formerMember);
  return (
    <>
      <Table
        caption={t.caption}
        rows={keys}
        keyOf={({ id }) => id}
        columns={[
          {
            key: 'name',
            title: t.name,
            cell: ({ id, name, prefix }) => (
              <span className={styles['name']}>
                <span>
                  <strong>{name}</strong>{' '}
                  {prefix !== null && (
                    <code className={styles['quiet']} title={t.prefix}>
                      {prefix}…
                    </code>
                  )}
                </span>
                <Id value={id} />
              </span>
            ),
          },
          { key: 'scopes', title: t.scopesLabel, cell: ({ scopes }) => <Scopes scopes={scopes} /> },
          { key: 'owner', title: t.owner, cell: ownerOf },
          {
            key: 'used',
            title: t.lastUsed,
            cell: ({ last_used_at }) =>
              last_used_at === null ? common.never : <Time at={last_used_at} as="ago" />,
          },
          { key: 'created', title: t.created, cell: ({ created_at }) => <Time at={created_at} as="ago" /> },
          { key: 'state', title: t.status, cell: (key) => <State apiKey={key} /> },
          ...(isAdmin
            ? [
                {
                  key: 'revoke',
                  title: t.revoke,
                  isAction: true,
                  cell: (key: KeyResource) =>
                    keyState(key, Date.now()) === 'active' && (
                      <Button kind="risky" aria-label={t.revokeOne(key.name)} onClick={() => setAsked(key)}>
                        {t.revoke}
                      </Button>
                    ),
                },
              ]
            : []),
        ]}
      />
      <Confirm
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        title={t.revokeTitle(asked?.name ?? '')}
        verb={t.revoke}
        act={() => request(adminPathOf(workspaceId, 'keys', asked?.id ?? '', 'revoke'), { method: 'POST' })}
        onDone={() => {
          say(t.revoked);
          void queries.invalidateQueries({ queryKey: keyOf(workspaceId, 'keys') });
        }}
      >
        {t.revokeText}
      </Confirm>
    </>
  );
}

function State({ apiKey }: { readonly apiKey: KeyResource }): ReactNode {
  const t = useTexts('keys');
  const state = keyState(apiKey, Date.now());
  const at = apiKey.revoked_at ?? apiKey.expires_at;
  return (
    <span className={styles['state']}>
      <StatusBadge tone={KEY_TONES[state]}>{t.states[state]}</StatusBadge>
      {at !== null && (
        <span className={styles['quiet']}>
          {state === 'active' ? (
            <>
              {t.until} <Time at={at} as="moment" />
            </>
          ) : (
            <Time at={at} as="ago" />
          )}
        </span>
      )}
    </span>
  );
}
