import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { InstanceResource, MessageResource } from '@trunkline/http/client';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { groupsQuery, networksQuery, numbersQuery } from '../../api/lists.ts';
import { Id } from '../../components/id.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { nameText } from '../../domain/name-text.ts';
import { useRefreshMs } from '../../live/live.tsx';
import { useMay, useSession } from '../../shell/session-context.ts';
import { useTexts } from '../../texts/language.tsx';
import { BlockContact } from './block-contact.tsx';
import { AsThem } from './as-them.tsx';
import styles from './chat-page.module.css';
import { Composer } from './composer.tsx';
import { addressText, threadName } from './names.ts';
import { NumberChoice, numberAmong } from './number-choice.tsx';
import { threadQuery } from './queries.ts';
import { ThreadView } from './thread-view.tsx';

const route = getRouteApi('/session/w/$workspace/chats/$counterpart');

export function ChatPage(): ReactNode {
  const t = useTexts('chats');
  const { workspace, counterpart } = route.useParams();
  const { instance } = route.useSearch();
  const number = numberAmong(useQuery(numbersQuery(workspace)).data ?? [], instance);
  if (number) {
    return (
      <Chat
        key={`${number.id} ${counterpart}`}
        workspace={workspace}
        number={number}
        counterpart={counterpart}
      />
    );
  }
  const above = (
    <Link to="/w/$workspace/chats" params={{ workspace }}>
      {t.title}
    </Link>
  );
  return (
    <Page title={addressText(counterpart)} above={above}>
      <NumberChoice workspace={workspace} chosen={instance}>
        {() => null}
      </NumberChoice>
    </Page>
  );
}

interface ChatProps {
  readonly workspace: string;
  readonly number: InstanceResource;
  readonly counterpart: string;
}

function Chat({ workspace, number, counterpart }: ChatProps): ReactNode {
  const t = useTexts('chats');
  const { features } = useSession();
  const maySend = useMay('messages:send');
  const mayControl = useMay('instances:write');
  const { data: networks = [] } = useQuery(networksQuery(workspace));
  const isSimulated = networks.some(({ name: of, simulated }) => of === number.network && simulated);
  const address = { workspaceId: workspace, instanceId: number.id, counterpart };
  const query = useQuery({ ...threadQuery(address), refetchInterval: useRefreshMs(10_000) });
  const [repliedTo, setRepliedTo] = useState<MessageResource | null>(null);
  const messages = query.data?.messages ?? [];
  const groupName = useGroupName(workspace, number.id, counterpart);
  const name = groupName ?? threadName(counterpart, messages);
  const isConnected = number.status === 'connected';
  const contactId =
    groupName === null ? messages.find(({ contact }) => contact !== null)?.contact?.id : undefined;
  return (
    <Page
      title={name}
      above={
        <Link to="/w/$workspace/chats" params={{ workspace }} search={{ instance: number.id }}>
          {t.title}
        </Link>
      }
      facts={
        <>
          <Link to="/w/$workspace/numbers/$instance" params={{ workspace, instance: number.id }}>
            {number.name}
          </Link>
          {groupName !== null && (
            <Link to="/w/$workspace/groups/$group" params={{ workspace, group: counterpart }}>
              {t.group}
            </Link>
          )}
          {/* Comes last: it appears once the name is loaded, and must not move a link. */}
          {name !== addressText(counterpart) && <Id value={counterpart} />}
        </>
      }
      actions={
        <>
          {contactId !== undefined && maySend && isConnected && number.capabilities.includes('block') && (
            <BlockContact workspaceId={workspace} contactId={contactId} name={name} />
          )}
          {features.sandbox && isSimulated && mayControl && isConnected && (
            <AsThem address={address} name={name} messages={messages} />
          )}
        </>
      }
    >
      <section className={styles['chat']} aria-label={t.threadLabel(name)}>
        <div className={styles['thread']}>
          <Loaded query={query}>
            {(thread) => (
              <ThreadView
                address={address}
                name={name}
                thread={thread}
                onReply={maySend ? setRepliedTo : null}
                actions={maySend ? number.capabilities : []}
              />
            )}
          </Loaded>
        </div>
        {!isConnected && <p className={styles['note']}>{t.waits}</p>}
        {maySend ? (
          <Composer address={address} name={name} repliedTo={repliedTo} onReply={setRepliedTo} />
        ) : (
          <p className={styles['note']}>{t.readOnly}</p>
        )}
      </section>
    </Page>
  );
}

/** The group's name, or a general word; null in a chat with a person. */
function useGroupName(workspaceId: string, instanceId: string, counterpart: string): string | null {
  const t = useTexts('chats');
  const isGroup = counterpart.startsWith('grp_');
  const groups = useQuery({ ...groupsQuery(workspaceId, instanceId), enabled: isGroup }).data;
  if (!isGroup) return null;
  return nameText(groups?.find(({ id }) => id === counterpart)?.name) ?? t.group;
}
