import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Loaded } from '../../components/loaded.tsx';
import { Panel } from '../../components/panel.tsx';
import { useTexts } from '../../texts/language.tsx';
import type { Range } from './search.ts';
import { Tiles } from './tiles.tsx';
import { Legend, TrafficChart } from './traffic-chart.tsx';
import { trafficQuery } from './traffic-queries.ts';
import { failuresOf, slotsOf } from './traffic.ts';

/** The service writes its counts as often. Weeks and months change little in ten seconds, and are dear to read. */
const REFRESH_MS: Readonly<Record<Range, number>> = {
  '1h': 10_000,
  '24h': 10_000,
  '7d': 60_000,
  '30d': 60_000,
};

export default function TrafficSection({
  workspace,
  range,
}: {
  readonly workspace: string;
  readonly range: Range;
}): ReactNode {
  const t = useTexts('now');
  const query = useQuery({
    ...trafficQuery(workspace, range),
    refetchInterval: REFRESH_MS[range],
    placeholderData: keepPreviousData,
  });
  return (
    <Loaded query={query}>
      {([traffic]) => {
        if (!traffic) return null;
        const { total, step } = traffic;
        const slots = slotsOf(traffic);
        const isEmpty = total.received + total.sent + failuresOf(total) === 0;
        return (
          <>
            <Tiles slots={slots} total={total} />
            <Panel title={t.messagesIn[range]} action={<Legend />}>
              {isEmpty && <p>{t.noTraffic}</p>}
              <TrafficChart workspace={workspace} slots={slots} total={total} step={step} />
            </Panel>
          </>
        );
      }}
    </Loaded>
  );
}
