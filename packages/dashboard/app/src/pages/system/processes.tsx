import type { ReactNode } from 'react';
import type { ProcessResource } from '../../../../src/schemas/admin.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Panel } from '../../components/panel.tsx';
import { sizeText } from '../../components/size-text.ts';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import styles from './system.module.css';

export function Processes({ processes }: { readonly processes: readonly ProcessResource[] }): ReactNode {
  const t = useTexts('system');
  const { locale } = useLanguage();
  const percent = new Intl.NumberFormat(locale, { style: 'percent' });
  const rolesText = new Intl.ListFormat(locale, { type: 'unit', style: 'short' });
  const silentFirst = processes.toSorted((a, b) => Number(b.is_silent) - Number(a.is_silent));
  return (
    <Panel title={t.processes} isFlush>
      {processes.length === 0 ? (
        <EmptyState icon="server" title={t.noProcesses}>
          {t.noProcessesHint}
        </EmptyState>
      ) : (
        <Table
          caption={t.processesCaption}
          rows={silentFirst}
          keyOf={({ name }) => name}
          columns={[
            {
              key: 'process',
              title: t.process,
              cell: ({ name, vitals }) => (
                <span className={styles['process']}>
                  <code>{name}</code>
                  {vitals && (
                    <span className={styles['where']}>
                      {vitals.host} · {vitals.pid} · {vitals.runtime}
                    </span>
                  )}
                </span>
              ),
            },
            {
              key: 'report',
              title: t.report,
              cell: ({ is_silent, reported_at }) => (
                <span className={styles['report']}>
                  <StatusBadge tone={is_silent ? 'bad' : 'good'}>
                    {is_silent ? t.silent : t.reports}
                  </StatusBadge>
                  <Time at={reported_at} />
                </span>
              ),
            },
            {
              key: 'roles',
              title: t.does,
              cell: ({ roles }) => rolesText.format(roles.map((role) => roleText(t.roles, role))),
            },
            { key: 'holds', title: t.holds, isNumeric: true, cell: ({ held }) => t.holdsNumbers(held) },
            {
              key: 'memory',
              title: t.memory,
              isNumeric: true,
              cell: ({ vitals }) => (vitals ? sizeText(locale, vitals.memory_bytes) : '–'),
            },
            {
              key: 'busy',
              title: t.busy,
              isNumeric: true,
              cell: ({ vitals }) => (vitals ? percent.format(vitals.busy_percent / 100) : '–'),
            },
            {
              key: 'since',
              title: t.runsFor,
              isNumeric: true,
              cell: ({ started_at }) => <Time at={started_at} as="distance" />,
            },
          ]}
        />
      )}
    </Panel>
  );
}

/** A newer service may have roles that this version has no word for. */
function roleText(words: Readonly<Record<string, string>>, role: string): string {
  return words[role] ?? role;
}
