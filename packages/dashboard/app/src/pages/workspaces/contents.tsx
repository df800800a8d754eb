import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { keysQuery, membersQuery } from '../../api/admin.ts';
import { numbersQuery } from '../../api/lists.ts';
import { Facts } from '../../components/facts.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Panel } from '../../components/panel.tsx';
import { keyState } from '../../domain/key-state.ts';
import { useRefreshMs } from '../../live/live.tsx';
import { useTexts } from '../../texts/language.tsx';

export function Contents({ workspaceId }: { readonly workspaceId: string }): ReactNode {
  const t = useTexts('workspaces');
  const shell = useTexts('shell');
  const refetchInterval = useRefreshMs(10_000);
  const numbers = useQuery({ ...numbersQuery(workspaceId), refetchInterval });
  const keys = useQuery({ ...keysQuery(workspaceId), refetchInterval });
  const members = useQuery({ ...membersQuery(workspaceId), refetchInterval });
  const params = { workspace: workspaceId };
  return (
    <Panel title={t.contents}>
      <Facts
        facts={[
          {
            name: shell.numbers,
            value: (
              <Loaded query={numbers}>
                {(all) => (
                  <Link to="/w/$workspace/numbers" params={params}>
                    {t.numbersOf(all.length)}
                    {all.length > 0 &&
                      `, ${t.connectedOf(all.filter(({ status }) => status === 'connected').length)}`}
                  </Link>
                )}
              </Loaded>
            ),
          },
          {
            name: shell.keys,
            value: (
              <Loaded query={keys}>
                {(all) => (
                  <Link to="/w/$workspace/keys" params={params}>
                    {t.keysOf(all.filter((key) => keyState(key, Date.now()) === 'active').length)}
                  </Link>
                )}
              </Loaded>
            ),
          },
          {
            name: shell.members,
            value: (
              <Loaded query={members}>
                {(all) => (
                  <Link to="/w/$workspace/members" params={params}>
                    {t.membersOf(all.length)}
                  </Link>
                )}
              </Loaded>
            ),
          },
        ]}
      />
    </Panel>
  );
}
