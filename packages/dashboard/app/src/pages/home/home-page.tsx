import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { workspacesQuery } from '../../api/workspaces.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { Panel } from '../../components/panel.tsx';
import { rowLink, Table } from '../../components/table.tsx';
import { useSession } from '../../shell/session-context.ts';
import { useTexts } from '../../texts/language.tsx';
import { Link } from '@tanstack/react-router';

/** Leads to the page Now: of the session's workspace, or of the one that there is; else one is chosen here. */
export function HomePage(): ReactNode {
  const { workspace } = useSession();
  return workspace ? <ToNow workspaceId={workspace.id} /> : <ChooseWorkspace />;
}

function ToNow({ workspaceId }: { readonly workspaceId: string }): ReactNode {
  return <Navigate to="/w/$workspace" params={{ workspace: workspaceId }} replace />;
}

function ChooseWorkspace(): ReactNode {
  const t = useTexts('shell');
  const query = useQuery(workspacesQuery);
  return (
    <Loaded query={query}>
      {(workspaces) => {
        const [only, another] = workspaces;
        if (only && !another) return <ToNow workspaceId={only.id} />;
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
                        <Link to="/w/$workspace" params={{ workspace: id }} className={rowLink}>
                          {name}
                        </Link>
                      ),
                    },
                    { key: 'id', title: 'Id', cell: ({ id }) => <code>{id}</code> },
                  ]}
                />
              ) : (
                <EmptyState title={t.noWorkspaces} />
              )}
            </Panel>
          </Page>
        );
      }}
    </Loaded>
  );
}
