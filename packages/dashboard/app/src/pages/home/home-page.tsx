import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { workspaceQuery } from '../../api/admin.ts';
import { workspacesQuery } from '../../api/workspaces.ts';
import { BASE_PATH } from '../../base-path.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { Panel } from '../../components/panel.tsx';
import { rowLink, Table } from '../../components/table.tsx';
import { useCurrentWorkspace } from '../../shell/current-workspace.ts';
import { NotFound } from '../../shell/not-found.tsx';
import { useSession } from '../../shell/session-context.ts';
import { useTexts } from '../../texts/language.tsx';

/**
 * The page at `/`, and at short addresses such as `/numbers`. Redirects into the workspace of the session, or into the
 * current workspace. Otherwise, the user chooses a workspace.
 */
export function HomePage(): ReactNode {
  const { workspace: bound } = useSession();
  const current = useCurrentWorkspace();
  const router = useRouter();
  const { pathname } = useLocation();
  const page = router.getMatchedRoutes(`/w/any${pathname}`)[2];
  if (page === undefined || page.fullPath === '/$') return <NotFound />;
  if (bound !== null) return <ToPage workspaceId={bound.id} />;
  return current === null ? <ChooseWorkspace /> : <ToKept workspaceId={current} />;
}

/** Checks that the workspace exists, because its id may come from a mistyped address. */
function ToKept({ workspaceId }: { readonly workspaceId: string }): ReactNode {
  const { isPending, isSuccess } = useQuery(workspaceQuery(workspaceId));
  if (isPending) return null;
  return isSuccess ? <ToPage workspaceId={workspaceId} /> : <ChooseWorkspace />;
}

function ToPage({ workspaceId }: { readonly workspaceId: string }): ReactNode {
  const { history } = useRouter();
  const { href } = useLocation();
  useEffect(() => {
    history.replace(`${BASE_PATH}/w/${encodeURIComponent(workspaceId)}${href === '/' ? '' : href}`);
  }, [history, workspaceId, href]);
  return null;
}

function ChooseWorkspace(): ReactNode {
  const t = useTexts('shell');
  const { pathname } = useLocation();
  const toPage = (id: string): string => `/w/${id}${pathname === '/' ? '' : pathname}`;
  const query = useQuery(workspacesQuery);
  return (
    <Loaded query={query}>
      {(workspaces) => {
        const [only, another] = workspaces;
        if (only && !another) return <ToPage workspaceId={only.id} />;
        return (
          <Page title={t.workspaces}>
            <Panel title={t.switchWorkspace} isFlush>
              {only ? (
                <Table
                  caption={t.workspaces}
                  rows={workspaces}
                  keyOf={({ id }) => id}
                  columns={[
                    {
                      key: 'name',
                      title: t.workspace,
                      cell: ({ id, name }) => (
                        <Link to={toPage(id)} search className={rowLink}>
                          {name}
                        </Link>
                      ),
                    },
                    { key: 'id', title: 'Id', cell: ({ id }) => <code>{id}</code> },
                  ]}
                />
              ) : (
                <EmptyState
                  icon="workspace"
                  title={t.noWorkspaces}
                  action={<Link to="/workspaces">{t.toWorkspaces}</Link>}
                />
              )}
            </Panel>
          </Page>
        );
      }}
    </Loaded>
  );
}
