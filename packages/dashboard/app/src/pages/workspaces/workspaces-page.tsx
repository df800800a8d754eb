import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { Pager } from '../../components/pager.tsx';
import { Panel } from '../../components/panel.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { useRefreshMs } from '../../live/live.tsx';
import { Administration } from '../../shell/administration.tsx';
import { useIsAdmin } from '../../shell/session-context.ts';
import { useTexts } from '../../texts/language.tsx';
import { CreateWorkspace } from './create-workspace.tsx';
import { workspacePageQuery } from './queries.ts';
import { WorkspaceTable } from './workspace-table.tsx';

const route = getRouteApi('/session/workspaces');

export function WorkspacesPage(): ReactNode {
  const t = useTexts('workspaces');
  return (
    <Administration title={t.title}>
      <Workspaces />
    </Administration>
  );
}

function Workspaces(): ReactNode {
  const t = useTexts('workspaces');
  const search = route.useSearch();
  const { cursor, find } = search;
  const navigate = route.useNavigate();
  const [isCreating, setCreating] = useState(false);
  const query = useQuery({
    ...workspacePageQuery(search),
    placeholderData: keepPreviousData,
    refetchInterval: useRefreshMs(10_000),
  });
  const create = useIsAdmin() && (
    <Button kind="primary" icon="add" onClick={() => setCreating(true)}>
      {t.add}
    </Button>
  );
  return (
    <Page title={t.title} actions={create}>
      <SearchField
        value={find}
        label={t.searchLabel}
        hint={t.searchHint}
        action={t.search}
        onFind={(wanted) => void navigate({ search: wanted === '' ? {} : { find: wanted } })}
      />
      <Panel title={t.title} isTitleUnseen isFlush>
        <Loaded query={query}>
          {({ workspaces, next_after }) => (
            <>
              {workspaces.length > 0 && (
                <WorkspaceTable workspaces={workspaces} isStale={query.isPlaceholderData} />
              )}
              {workspaces.length === 0 && find !== undefined && (
                <EmptyState
                  title={next_after === null ? t.noneFound(find) : t.noneFoundYet(find)}
                  action={
                    <Link to="/workspaces" search={{}}>
                      {t.showAll}
                    </Link>
                  }
                />
              )}
              {workspaces.length === 0 && find === undefined && cursor !== undefined && (
                <EmptyState title={t.noMore} />
              )}
              {workspaces.length === 0 && find === undefined && cursor === undefined && (
                <EmptyState icon="workspace" title={t.empty} action={create}>
                  {t.emptyHint}
                </EmptyState>
              )}
              <Pager
                prevCursor={cursor === undefined ? null : ''}
                nextCursor={next_after}
                labels={{ prev: t.first, next: t.more }}
              />
            </>
          )}
        </Loaded>
      </Panel>
      <CreateWorkspace isOpen={isCreating} onClose={() => setCreating(false)} />
    </Page>
  );
}
