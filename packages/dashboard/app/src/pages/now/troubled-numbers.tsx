import { Link } from '@tanstack/react-router';
import type { InstanceResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { Panel } from '../../components/panel.tsx';
import { NumberBadge } from '../../components/number-badge.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { rowLink, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { byUrgency, isTrouble, toneOf } from '../../domain/number-status.ts';
import { useTexts } from '../../texts/language.tsx';
import styles from './well.module.css';

interface TroubledNumbersProps {
  readonly workspace: string;
  readonly numbers: readonly InstanceResource[];
}

/** The numbers that need attention or are connecting; other numbers are only counted. */
export function TroubledNumbers({ workspace, numbers }: TroubledNumbersProps): ReactNode {
  const t = useTexts('now');
  const troubled = numbers.filter(isTrouble).toSorted(byUrgency);
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
      {troubled.length > 0 && (
        <Table
          caption={t.numbersCaption}
          rows={troubled}
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
                number.status === 'connected' ? (
                  <StatusBadge tone={toneOf(number)}>{t.restricted}</StatusBadge>
                ) : (
                  <NumberBadge number={number} />
                ),
            },
            {
              key: 'cause',
              title: t.cause,
              cell: ({ restriction, last_error }) => {
                const code = restriction?.code ?? last_error;
                return code === null ? null : <code>{code}</code>;
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
      {troubled.length < numbers.length && (
        <p className={styles['quiet']}>{t.numbersWell(numbers.length - troubled.length)}</p>
      )}
    </Panel>
  );
}
