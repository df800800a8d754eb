import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { InstanceResource } from '@trunkline/http/client';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { numbersQuery } from '../../api/lists.ts';
import { Avatar } from '../../components/avatar.tsx';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FilterSelect } from '../../components/filter-select.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { NumberBadge } from '../../components/number-badge.tsx';
import { Page } from '../../components/page.tsx';
import { Panel } from '../../components/panel.tsx';
import { rowLink, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { useRefreshMs } from '../../live/live.tsx';
import { useMay } from '../../shell/session-context.ts';
import { useTexts } from '../../texts/language.tsx';
import { AddNumber } from './add-number.tsx';
import { NextAction } from './next-action.tsx';
import styles from './numbers-page.module.css';
import { PhoneNumber } from './phone-number.tsx';
import { byUrgency, STATUSES } from '../../domain/number-status.ts';

const route = getRouteApi('/session/w/$workspace/numbers');

export function NumbersPage(): ReactNode {
  const t = useTexts('numbers');
  const { workspace } = route.useParams();
  const { status } = route.useSearch();
  const [isAdding, setAdding] = useState(false);
  const query = useQuery({ ...numbersQuery(workspace), refetchInterval: useRefreshMs(5_000) });
  const add = useMay('instances:write') && (
    <Button kind="primary" icon="add" onClick={() => setAdding(true)}>
      {t.add}
    </Button>
  );
  return (
    <Page title={t.title} actions={add}>
      <Panel
        title={t.title}
        isTitleUnseen
        isFlush
        action={
          <FilterSelect
            name="status"
            label={t.status}
            value={status}
            options={STATUSES.map((value) => ({ value, label: t.statuses[value] }))}
          />
        }
      >
        <Loaded query={query}>
          {(numbers) => <Numbers workspace={workspace} numbers={numbers} status={status} add={add} />}
        </Loaded>
      </Panel>
      <AddNumber workspaceId={workspace} isOpen={isAdding} onClose={() => setAdding(false)} />
    </Page>
  );
}

function Numbers({
  workspace,
  numbers,
  status,
  add,
}: {
  readonly workspace: string;
  readonly numbers: readonly InstanceResource[];
  readonly status: InstanceResource['status'] | undefined;
  readonly add: ReactNode;
}): ReactNode {
  const t = useTexts('numbers');
  const common = useTexts('common');
  if (numbers.length === 0) {
    return (
      <EmptyState icon="number" title={t.empty} action={add}>
        {t.emptyHint}
      </EmptyState>
    );
  }
  const shown = numbers
    .filter((number) => status === undefined || number.status === status)
    .toSorted(byUrgency);
  if (shown.length === 0) {
    const clear = (
      <Link to="/w/$workspace/numbers" params={{ workspace }}>
        {common.clearFilters}
      </Link>
    );
    return <EmptyState icon="search" title={t.noneMatch} action={clear} />;
  }
  return (
    <Table
      caption={t.caption}
      rows={shown}
      keyOf={({ id }) => id}
      columns={[
        {
          key: 'name',
          title: t.name,
          cell: ({ id, name }) => (
            <span className={styles['name']}>
              <Avatar id={id} name={name} />
              <Link
                to="/w/$workspace/numbers/$instance"
                params={{ workspace, instance: id }}
                className={rowLink}
              >
                {name}
              </Link>
            </span>
          ),
        },
        {
          key: 'number',
          title: t.number,
          cell: (number) => <PhoneNumber number={number} />,
        },
        {
          key: 'status',
          title: t.status,
          cell: (number) => <NumberBadge number={number} />,
        },
        {
          key: 'since',
          title: t.since,
          isNumeric: true,
          cell: ({ status_changed_at, created_at }) => (
            <Time at={status_changed_at ?? created_at} as="distance" />
          ),
        },
        {
          key: 'seen',
          title: t.lastSeen,
          isNumeric: true,
          cell: ({ last_seen_at }) => (last_seen_at === null ? '–' : <Time at={last_seen_at} as="moment" />),
        },
        {
          key: 'action',
          title: common.actions,
          isAction: true,
          cell: (number) => <NextAction workspaceId={workspace} number={number} />,
        },
      ]}
    />
  );
}
