import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { useRefreshMs } from '../../live/live.tsx';
import { Administration } from '../../shell/administration.tsx';
import { useTexts } from '../../texts/language.tsx';
import { Database } from './database.tsx';
import { Handlers } from './handlers.tsx';
import { Processes } from './processes.tsx';
import { handlersQuery, systemQuery } from './queries.ts';
import { SystemHeadline } from './system-headline.tsx';
import { Waiting } from './waiting.tsx';

export function SystemPage(): ReactNode {
  const { title } = useTexts('system');
  return (
    <Administration title={title}>
      <System />
    </Administration>
  );
}

function System(): ReactNode {
  const { title } = useTexts('system');
  // Processes and queues emit no events, so the page polls.
  const refetchInterval = useRefreshMs(10_000);
  const system = useQuery({ ...systemQuery, refetchInterval });
  const handlers = useQuery({ ...handlersQuery, refetchInterval });
  // Each part waits for the parts above it, so that late data does not move what the user is reading.
  return (
    <Page title={title}>
      <Loaded query={system}>
        {(read) => (
          <>
            <SystemHeadline system={read} now={system.dataUpdatedAt} />
            <Processes processes={read.processes} />
            <Waiting workload={read.workload} />
            <Loaded query={handlers}>{(list) => <Handlers handlers={list} />}</Loaded>
            {!handlers.isPending && <Database system={read} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}
