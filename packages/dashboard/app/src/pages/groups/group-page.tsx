import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { unwrap } from '@trunkline/http/client';
import type { GroupDetailResource } from '@trunkline/http/client';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { clientOf } from '../../api/client.ts';
import { keyOf } from '../../api/keys.ts';
import { numbersQuery } from '../../api/lists.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { Id } from '../../components/id.tsx';
import { LoadedPage } from '../../components/loaded-page.tsx';
import { Page } from '../../components/page.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { nameText } from '../../domain/name-text.ts';
import { useMay } from '../../shell/session-context.ts';
import { useTexts } from '../../texts/language.tsx';
import { AddPeople } from './add-people.tsx';
import { EditGroup } from './edit-group.tsx';
import { GroupLink } from './group-link.tsx';
import styles from './group-page.module.css';
import { JoinRequests } from './join-requests.tsx';
import { Participants } from './participants.tsx';
import { groupQuery } from './queries.ts';

const route = getRouteApi('/session/w/$workspace/groups/$group');

export function GroupPage(): ReactNode {
  const { workspace, group } = route.useParams();
  const t = useTexts('groups');
  const query = useQuery(groupQuery(workspace, group));
  return (
    <LoadedPage query={query} title={t.title} above={null}>
      {(found) => <Group workspace={workspace} group={found} />}
    </LoadedPage>
  );
}

type Asked = 'edit' | 'add' | 'leave';

function Group({
  workspace,
  group,
}: {
  readonly workspace: string;
  readonly group: GroupDetailResource;
}): ReactNode {
  const t = useTexts('groups');
  const { say } = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<Asked | null>(null);
  const { data: numbers = [] } = useQuery(numbersQuery(workspace));
  const number = numbers.find(({ id }) => id === group.instance_id);
  const mayChange = useMay('instances:write');
  const isAdmin = group.participants.some(({ is_self, role }) => is_self && role !== 'member');
  const { id, name } = group;
  const close = (): void => setAsked(null);
  const params = { workspace, instance: group.instance_id };
  return (
    <Page
      title={nameText(name) ?? id}
      above={
        <Link to="/w/$workspace/numbers/$instance" params={params}>
          {number?.name ?? group.instance_id}
        </Link>
      }
      facts={
        <>
          <span>{t.count(group.participants_count)}</span>
          <Id value={id} />
          <Link
            to="/w/$workspace/chats/$counterpart"
            params={{ workspace, counterpart: id }}
            search={{ instance: group.instance_id }}
          >
            {t.chat}
          </Link>
        </>
      }
      actions={
        mayChange && (
          <>
            {isAdmin && (
              <>
                <Button kind="primary" icon="add" onClick={() => setAsked('add')}>
                  {t.add}
                </Button>
                <Button icon="edit" onClick={() => setAsked('edit')}>
                  {t.edit}
                </Button>
              </>
            )}
            <Button kind="risky" icon="logOut" onClick={() => setAsked('leave')}>
              {t.leave}
            </Button>
          </>
        )
      }
    >
      {group.description !== null && <p className={styles['description']}>{group.description}</p>}
      {mayChange && !isAdmin && <p className={styles['quiet']}>{t.noAdmin}</p>}
      {mayChange && isAdmin && <JoinRequests workspaceId={workspace} groupId={id} />}
      <Participants workspaceId={workspace} group={group} mayChange={mayChange && isAdmin} />
      {mayChange && isAdmin && <GroupLink workspaceId={workspace} groupId={id} />}
      <AddPeople workspaceId={workspace} groupId={id} isOpen={asked === 'add'} onClose={close} />
      <EditGroup workspaceId={workspace} group={group} isOpen={asked === 'edit'} onClose={close} />
      <Confirm
        isOpen={asked === 'leave'}
        onClose={close}
        title={t.leaveTitle(name)}
        verb={t.leave}
        act={async () => unwrap(await clientOf(workspace).groups.leave(id))}
        onDone={() => {
          say(t.left);
          void navigate({ to: '/w/$workspace/numbers/$instance', params });
          void queries.invalidateQueries({ queryKey: keyOf(workspace, 'numbers') });
        }}
      >
        {t.leaveText}
      </Confirm>
    </Page>
  );
}
