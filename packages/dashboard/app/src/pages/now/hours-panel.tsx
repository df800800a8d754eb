import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { HourResource } from '../../../../src/schemas/hours.ts';
import { hoursQuery } from '../../api/lists.ts';
import { Bar, barLength, Chart, CHART_HEIGHT } from '../../components/chart.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Panel } from '../../components/panel.tsx';
import { Table } from '../../components/table.tsx';
import { useLanguage, useTexts } from '../../texts/language.tsx';

/** The service stops counting an hour's messages at this number. */
const COUNTED_TO = 1_000;
const REFRESH_MS = 60_000;

export default function HoursPanel({ workspaceId }: { readonly workspaceId: string }): ReactNode {
  const t = useTexts('now');
  const query = useQuery({ ...hoursQuery(workspaceId), refetchInterval: REFRESH_MS });
  return (
    <Panel title={t.hours}>
      <Loaded query={query}>{(hours) => <Hours hours={hours} />}</Loaded>
    </Panel>
  );
}

function Hours({ hours }: { readonly hours: readonly HourResource[] }): ReactNode {
  const t = useTexts('now');
  const { locale } = useLanguage();
  const number = new Intl.NumberFormat(locale);
  const clock = new Intl.DateTimeFormat(locale, { weekday: 'short', hour: 'numeric', minute: '2-digit' });
  const [first] = hours;
  const last = hours.at(-1);
  if (!first || !last) return null;
  const count = (messages: number): string =>
    `${number.format(messages)}${messages >= COUNTED_TO ? '+' : ''}`;
  const most = Math.max(...hours.map(({ messages }) => messages));
  const total = hours.reduce((sum, { messages }) => sum + messages, 0);
  const summary = t.hoursSummary(`${number.format(total)}${most >= COUNTED_TO ? '+' : ''}`, count(most));
  return (
    <>
      <Chart
        caption={summary}
        label={summary}
        slots={hours.length}
        line={CHART_HEIGHT}
        from={clock.format(new Date(first.from))}
        to={clock.format(new Date(last.from))}
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
            keyOf={({ from }) => from}
            columns={[
              { key: 'from', title: t.hour, cell: ({ from }) => clock.format(new Date(from)) },
              {
                key: 'messages',
                title: t.messages,
                isNumeric: true,
                cell: ({ messages }) => count(messages),
              },
            ]}
          />
        </details>
      )}
    </>
  );
}
