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
import { useRefreshMs } from '../../live/live.tsx';
import { useMay } from '../../shell/session-context.ts';
import { useTexts } from '../../texts/language.tsx';
import { ChatFinder } from './chat-finder.tsx';
import { ChatTable } from './chat-table.tsx';
import styles from './chats-page.module.css';
import { digitsOf } from '../../domain/digits-of.ts';
import { addressText } from './names.ts';
import { NewMessage } from './new-message.tsx';
import { NumberChoice } from './number-choice.tsx';
import { chatsQuery, foundChatsQuery } from './queries.ts';

const route = getRouteApi('/session/w/$workspace/chats');

export function ChatsPage(): ReactNode {
  const t = useTexts('chats');
  const { workspace } = route.useParams();
  const { instance, find, cursor } = route.useSearch();
  const maySend = useMay('messages:send');
  const [isWriting, setWriting] = useState(false);
  return (
    <Page title={t.title}>
      <NumberChoice workspace={workspace} chosen={instance} mayChange>
        {(number) => (
          <>
            <div className={styles['bar']}>
              <ChatFinder workspaceId={workspace} instanceId={number.id} find={find} />
              {maySend && (
                <Button kind="primary" onClick={() => setWriting(true)}>
                  {t.newMessage}
                </Button>
              )}
            </div>
            <Panel title={t.title} isTitleUnseen isFlush>
              {find === undefined ? (
                <AllChats workspace={workspace} instance={number.id} cursor={cursor} />
              ) : (
                <FoundChats workspace={workspace} instance={number.id} find={find} />
              )}
            </Panel>
            <NewMessage
              workspaceId={workspace}
              number={number}
              isOpen={isWriting}
              onClose={() => setWriting(false)}
            />
          </>
        )}
      </NumberChoice>
    </Page>
  );
}

interface OfNumber {
  readonly workspace: string;
  readonly instance: string;
}

function AllChats({
  workspace,
  instance,
  cursor,
}: OfNumber & { readonly cursor: string | undefined }): ReactNode {
  const t = useTexts('chats');
  const query = useQuery({
    ...chatsQuery(workspace, instance, cursor),
    placeholderData: keepPreviousData,
    refetchInterval: useRefreshMs(10_000),
  });
  return (
    <Loaded query={query}>
      {({ data, prevCursor, nextCursor }) => (
        <>
          {data.length === 0 && nextCursor === null ? (
            <EmptyState title={t.empty}>{t.emptyHint}</EmptyState>
          ) : (
            <ChatTable workspace={workspace} chats={data} isStale={query.isPlaceholderData} />
          )}
          <Pager prevCursor={prevCursor} nextCursor={nextCursor} />
        </>
      )}
    </Loaded>
  );
}

function FoundChats({ workspace, instance, find }: OfNumber & { readonly find: string }): ReactNode {
  const t = useTexts('chats');
  const common = useTexts('common');
  const query = useQuery({
    ...foundChatsQuery(workspace, instance, find),
    refetchInterval: useRefreshMs(10_000),
  });
  const number = digitsOf(find);
  const clear = (
    <Link to="/w/$workspace/chats" params={{ workspace }} search={{ instance }}>
      {common.clearFilters}
    </Link>
  );
  return (
    <Loaded query={query}>
      {({ found, searched, isAll }) => (
        <>
          {number !== null && (
            <p className={styles['note']}>
              <Link
                to="/w/$workspace/chats/$counterpart"
                params={{ workspace, counterpart: number }}
                search={{ instance }}
              >
                {t.openChatWith(addressText(number))}
              </Link>
            </p>
          )}
          {!isAll && <p className={styles['note']}>{t.searched(searched)}</p>}
          {found.length === 0 ? (
            <EmptyState title={t.noneMatch} action={clear} />
          ) : (
            <>
              <ChatTable workspace={workspace} chats={found} isStale={false} />
              <p className={styles['foot']}>{clear}</p>
            </>
          )}
        </>
      )}
    </Loaded>
  );
}
