import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { InstanceResource } from '@trunkline/http/client';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { groupsQuery } from '../../api/lists.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Panel } from '../../components/panel.tsx';
import { rowLink, Table } from '../../components/table.tsx';
import { nameText } from '../../domain/name-text.ts';
import { useMay } from '../../shell/session-context.ts';
import { useTexts } from '../../texts/language.tsx';
import { CreateGroup, JoinGroup } from './new-group.tsx';
import styles from './number-page.module.css';

/** The groups of a number, with dialogs to create and join one. */
export function NumberGroups({
  workspaceId,
  number,
}: {
  readonly workspaceId: string;
  readonly number: InstanceResource;
}): ReactNode {
  const t = useTexts('numbers');
  const query = useQuery(groupsQuery(workspaceId, number.id));
  const [asked, setAsked] = useState<'create' | 'join' | null>(null);
  const mayChange = useMay('instances:write');
  const isManaged = number.capabilities.includes('group_admin') && number.status === 'connected';
  const close = (): void => setAsked(null);
  return (
    <Panel
      title={t.groups}
      isFlush
      action={
        mayChange &&
        isManaged && (
          <span className={styles['actions']}>
            <Button icon="connect" onClick={() => setAsked('join')}>
              {t.joinGroup}
            </Button>
            <Button icon="add" onClick={() => setAsked('create')}>
              {t.createGroup}
            </Button>
          </span>
        )
      }
    >
      <Loaded query={query}>
        {(groups) =>
          groups.length === 0 ? (
            <EmptyState icon="member" title={t.noGroups} />
          ) : (
            <Table
              caption={t.groups}
              rows={groups}
              keyOf={({ id }) => id}
              columns={[
                {
                  key: 'name',
                  title: t.group,
                  cell: ({ id, name }) => (
                    <Link
                      to="/w/$workspace/groups/$group"
                      params={{ workspace: workspaceId, group: id }}
                      className={rowLink}
                    >
                      {nameText(name)}
                    </Link>
                  ),
                },
                {
                  key: 'participants',
                  title: t.participants,
                  isNumeric: true,
                  cell: (group) => group.participants_count,
                },
              ]}
            />
          )
        }
      </Loaded>
      <CreateGroup workspaceId={workspaceId} number={number} isOpen={asked === 'create'} onClose={close} />
      <JoinGroup workspaceId={workspaceId} number={number} isOpen={asked === 'join'} onClose={close} />
    </Panel>
  );
}
