import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { membersQuery } from '../../api/admin.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { Panel } from '../../components/panel.tsx';
import { useRefreshMs } from '../../live/live.tsx';
import { Administration } from '../../shell/administration.tsx';
import { useIsAdmin } from '../../shell/session-context.ts';
import { useTexts } from '../../texts/language.tsx';
import { EditMember } from './edit-member.tsx';
import type { EditedMember } from './edit-member.tsx';
import { MemberTable } from './member-table.tsx';

const route = getRouteApi('/session/w/$workspace/members');

export function MembersPage(): ReactNode {
  const t = useTexts('members');
  const { workspace } = route.useParams();
  return (
    <Administration title={t.title} workspaceId={workspace}>
      <Members workspace={workspace} />
    </Administration>
  );
}

function Members({ workspace }: { readonly workspace: string }): ReactNode {
  const t = useTexts('members');
  const [edited, setEdited] = useState<EditedMember | null>(null);
  const query = useQuery({ ...membersQuery(workspace), refetchInterval: useRefreshMs(10_000) });
  const add = useIsAdmin() && (
    <Button kind="primary" icon="add" onClick={() => setEdited('new')}>
      {t.add}
    </Button>
  );
  return (
    <Page title={t.title} actions={add}>
      <Panel title={t.title} isTitleUnseen isFlush>
        <Loaded query={query}>
          {(members) =>
            members.length > 0 ? (
              <MemberTable workspaceId={workspace} members={members} onChange={setEdited} />
            ) : (
              <EmptyState icon="member" title={t.empty} action={add}>
                {t.emptyHint}
              </EmptyState>
            )
          }
        </Loaded>
      </Panel>
      <EditMember workspaceId={workspace} member={edited} onClose={() => setEdited(null)} />
    </Page>
  );
}
