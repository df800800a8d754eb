import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { WorkspaceResource } from '../../../../src/schemas/admin.ts';
import { rowLink, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { PlanBadge } from './plan-badge.tsx';
import { StateBadge } from './state-badge.tsx';

/** A row links to the settings of the workspace, and its last cell links into the workspace. */
export function WorkspaceTable({
  workspaces,
  isStale,
}: {
  readonly workspaces: readonly WorkspaceResource[];
  readonly isStale: boolean;
}): ReactNode {
  const t = useTexts('workspaces');
  return (
    <Table
      caption={t.caption}
      rows={workspaces}
      keyOf={({ id }) => id}
      isStale={isStale}
      columns={[
        {
          key: 'name',
          title: t.name,
          cell: ({ id, name }) => (
            <Link to="/workspaces/$workspace" params={{ workspace: id }} className={rowLink}>
              {name}
            </Link>
          ),
        },
        { key: 'state', title: t.state, cell: (workspace) => <StateBadge workspace={workspace} /> },
        { key: 'plan', title: t.plan, cell: (workspace) => <PlanBadge workspace={workspace} /> },
        {
          key: 'numbers',
          title: t.numbers,
          isNumeric: true,
          cell: ({ numbers, plan }) => <Numbers count={numbers} limit={plan.instance_limit} />,
        },
        { key: 'created', title: t.created, cell: ({ created_at }) => <Time at={created_at} as="ago" /> },
        {
          key: 'open',
          title: t.open,
          isAction: true,
          cell: ({ id, name }) => (
            <Link to="/w/$workspace" params={{ workspace: id }} aria-label={t.openOne(name)}>
              {t.open}
            </Link>
          ),
        },
      ]}
    />
  );
}

function Numbers({ count, limit }: { readonly count: number; readonly limit: number | null }): ReactNode {
  const t = useTexts('workspaces');
  const { locale } = useLanguage();
  const numbers = new Intl.NumberFormat(locale);
  return limit === null
    ? numbers.format(count)
    : t.numbersOfLimit(numbers.format(count), numbers.format(limit));
}
