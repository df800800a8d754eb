import { useQuery } from '@tanstack/react-query';
import type { TrafficResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { hoursQuery } from '../../api/lists.ts';
import { Bar, barLength, Chart, CHART_HEIGHT } from '../../components/chart.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Panel } from '../../components/panel.tsx';
import { Table } from '../../components/table.tsx';
import { useLanguage, useTexts } from '../../texts/language.tsx';

const HOUR_MS = 3_600_000;
const HOURS = 24;
const REFRESH_MS = 60_000;

export default function HoursPanel({ workspaceId }: { readonly workspaceId: string }): ReactNode {
  const t = useTexts('now');
  const query = useQuery({ ...hoursQuery(workspaceId), refetchInterval: REFRESH_MS });
  return (
    <Panel title={t.hours}>
      <Loaded query={query}>{([traffic]) => traffic && <Hours hours={hoursOf(traffic)} />}</Loaded>
    </Panel>
  );
}

interface Hour {
  /** Epoch milliseconds. */
  readonly from: number;
  /** How many messages were sent or received. */
  readonly messages: number;
}

function hoursOf({ to, periods }: TrafficResource): readonly Hour[] {
  const counted = new Map(periods.map(({ start, sent, received }) => [Date.parse(start), sent + received]));
  return Array.from({ length: HOURS }, (_, index) => {
    const from = Date.parse(to) - (HOURS - index) * HOUR_MS;
    return { from, messages: counted.get(from) ?? 0 };
  });
}

function Hours({ hours }: { readonly hours: readonly Hour[] }): ReactNode {
  const t = useTexts('now');
  const { locale } = useLanguage();
  const number = new Intl.NumberFormat(locale);
  const clock = new Intl.DateTimeFormat(locale, { weekday: 'short', hour: 'numeric', minute: '2-digit' });
  const [first] = hours;
  const last = hours.at(-1);
  if (!first || !last) return null;
  const most = Math.max(...hours.map(({ messages }) => messages));
  const total = hours.reduce((sum, { messages }) => sum + messages, 0);
  const summary = t.hoursSummary(number.format(total), number.format(most));
  return (
    <>
      <Chart
        caption={summary}
        label={summary}
        slots={hours.length}
        line={CHART_HEIGHT}
        from={clock.format(first.from)}
        to={clock.format(last.from)}
      >
        {hours.map(({ from, messages }, slot) => {
          const height = barLength(messages, most, CHART_HEIGHT);
          return <Bar key={from} slot={slot} tone="plain" y={CHART_HEIGHT - height} height={height} />;
        })}
      </Chart>
      {total > 0 && (
        <details>
          <summary>{t.hoursTable}</summary>
          <Table
            caption={t.hoursCaption}
            rows={hours.filter(({ messages }) => messages > 0)}
            keyOf={({ from }) => String(from)}
            columns={[
              { key: 'from', title: t.hour, cell: ({ from }) => clock.format(from) },
              {
                key: 'messages',
                title: t.messages,
                isNumeric: true,
                cell: ({ messages }) => number.format(messages),
              },
            ]}
          />
        </details>
      )}
    </>
  );
}
