import { Link } from '@tanstack/react-router';
import type { InstanceResource } from '@trunkline/http/client';
import { lazy, Suspense } from 'react';
import type { ReactNode } from 'react';
import { Panel } from '../../components/panel.tsx';
import { NumberBadge } from '../../components/number-badge.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { rowLink, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { byUrgency, isTrouble, toneOf } from '../../domain/number-status.ts';
import { useMay } from '../../shell/session-context.ts';
import { useTexts } from '../../texts/language.tsx';
import { idsOf, listed } from './listed.ts';
import styles from './well.module.css';

const NumberDay = lazy(async () => ({ default: (await import('./day-ticks.tsx')).NumberDay }));

interface NumberTableProps {
  readonly workspace: string;
  readonly numbers: readonly InstanceResource[];
}

/** The numbers with their last day, those that need attention or are connecting first. Many others are only counted. */
export function NumberTable({ workspace, numbers }: NumberTableProps): ReactNode {
  const t = useTexts('now');
  const mayReadMessages = useMay('messages:read');
  const rows = listed(numbers.toSorted(byUrgency), isTrouble);
  const ids = idsOf(rows);
  return (
    <Panel
      title={t.numbers}
      isFlush
      action={
        <Link to="/w/$workspace/numbers" params={{ workspace }}>
          {t.toNumbers}
        </Link>
      }
    >
      {rows.length > 0 && (
        <Table
          caption={t.numbersCaption}
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            {
              key: 'name',
              title: t.name,
              cell: ({ id, name }) => (
                <Link
                  to="/w/$workspace/numbers/$instance"
                  params={{ workspace, instance: id }}
                  className={rowLink}
                >
                  {name}
                </Link>
              ),
            },
            {
              key: 'status',
              title: t.status,
              cell: (number) =>
                number.status === 'connected' && number.restriction ? (
                  <StatusBadge tone={toneOf(number)}>{t.restricted}</StatusBadge>
                ) : (
                  <NumberBadge number={number} />
                ),
            },
            ...(mayReadMessages
              ? [
                  {
                    key: 'day',
                    title: t.day,
                    cell: ({ id }: InstanceResource) => (
                      <Suspense>
                        <NumberDay workspace={workspace} id={id} ids={ids} />
                      </Suspense>
                    ),
                  },
                ]
              : []),
            {
              key: 'cause',
              title: t.cause,
              cell: ({ restriction, last_error }) => {
                const code = restriction?.code ?? last_error;
                return code === null ? '–' : <code>{code}</code>;
              },
            },
            {
              key: 'since',
              title: t.since,
              isNumeric: true,
              cell: ({ status_changed_at, created_at }) => (
                <Time at={status_changed_at ?? created_at} as="distance" />
              ),
            },
          ]}
        />
      )}
      {rows.length < numbers.length && (
        <p className={styles['quiet']}>{t.numbersWell(numbers.length - rows.length)}</p>
      )}
    </Panel>
  );
}
