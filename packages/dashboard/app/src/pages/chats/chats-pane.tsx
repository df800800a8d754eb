import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { InstanceResource } from '@trunkline/http/client';
import { useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { digitsOf } from '../../domain/digits-of.ts';
import { useRefreshMs } from '../../live/live.tsx';
import { useMay } from '../../shell/session-context.ts';
import { useTexts } from '../../texts/language.tsx';
import { ChatList } from './chat-list.tsx';
import styles from './chats-pane.module.css';
import { Icon } from './icon.tsx';
import { addressText } from './names.ts';
import { NewMessage } from './new-message.tsx';
import { Pane } from './pane.tsx';
import { chatList, foundChatsQuery, recentMessagesQuery } from './queries.ts';
import { stretchQuery } from './stretch-query.ts';
import { unreadIn } from './unread.ts';
import { useOpenChat } from './use-open-chat.ts';

interface ChatsPaneProps {
  readonly workspace: string;
  readonly number: InstanceResource;
  /** Whether the workspace has no other number. */
  readonly isOnly: boolean;
  readonly find: string | undefined;
  readonly counterpart: string | null;
}

const COUNTERPART_ID = /^(con|grp)_[0-9a-z]{26}$/;

export function ChatsPane({ workspace, number, isOnly, find, counterpart }: ChatsPaneProps): ReactNode {
  const t = useTexts('chats');
  const maySend = useMay('messages:send');
  const [isWriting, setWriting] = useState(false);
  const open = useOpenChat(workspace);
  const recent = useQuery({
    ...recentMessagesQuery(workspace, number.id),
    refetchInterval: useRefreshMs(10_000),
  }).data;
  const unread = useMemo(() => unreadIn(recent ?? []), [recent]);
  const shown = { workspace, instance: number.id, find, counterpart, unread };
  return (
    <Pane
      title={isOnly ? t.title : t.chatsOf(number.name)}
      isPage={counterpart === null}
      above={
        !isOnly && (
          <Link to="/w/$workspace/chats" params={{ workspace }} className={styles['back']}>
            <Icon name="back" />
            {t.numbers}
          </Link>
        )
      }
      actions={
        maySend && (
          <Button
            kind="primary"
            aria-label={t.newMessage}
            title={t.newMessage}
            onClick={() => setWriting(true)}
          >
            <Icon name="write" />
          </Button>
        )
      }
    >
      <div className={styles['search']}>
        {/* Finds chats by a part of a name or number, and opens the chat whose contact or group id is typed. */}
        <SearchField
          value={find}
          label={t.searchLabel}
          hint={t.searchHint}
          action={t.search}
          onFind={(wanted) => {
            const isId = COUNTERPART_ID.test(wanted);
            open(isId ? wanted : null, { instance: number.id, find: isId ? undefined : wanted });
          }}
        />
      </div>
      {find === undefined ? <AllChats {...shown} /> : <FoundChats {...shown} find={find} />}
      <NewMessage
        workspaceId={workspace}
        number={number}
        isOpen={isWriting}
        onClose={() => setWriting(false)}
      />
    </Pane>
  );
}

interface Shown {
  readonly workspace: string;
  readonly instance: string;
  readonly find: string | undefined;
  readonly counterpart: string | null;
  readonly unread: ReadonlyMap<string, number>;
}

function AllChats(shown: Shown): ReactNode {
  const t = useTexts('chats');
  const list = useMemo(() => chatList(shown.workspace, shown.instance), [shown.workspace, shown.instance]);
  const query = useQuery({ ...stretchQuery(list), refetchInterval: useRefreshMs(10_000) });
  return (
    <Loaded query={query}>
      {(stretch) =>
        stretch.rows.length === 0 && stretch.older === null ? (
          <EmptyState title={t.empty}>{t.emptyHint}</EmptyState>
        ) : (
          <ChatList {...shown} key={shown.instance} list={list} stretch={stretch} />
        )
      }
    </Loaded>
  );
}

function FoundChats(shown: Shown & { readonly find: string }): ReactNode {
  const t = useTexts('chats');
  const common = useTexts('common');
  const { workspace, instance, find } = shown;
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
              <p className={styles['note']}>{clear}</p>
              <ChatList
                {...shown}
                list={chatList(workspace, instance)}
                stretch={{ rows: found, newer: null, older: null, newest: '', pages: [] }}
              />
            </>
          )}
        </>
      )}
    </Loaded>
  );
}
