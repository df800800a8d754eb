import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { InstanceResource } from '@trunkline/http/client';
import { useRef } from 'react';
import type { ReactNode } from 'react';
import { numbersQuery } from '../../api/lists.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { useTexts } from '../../texts/language.tsx';
import { ChatsPane } from './chats-pane.tsx';
import styles from './inbox.module.css';
import { addressText } from './names.ts';
import { NumbersPane } from './numbers-pane.tsx';
import type { ChatsSearch } from './search.ts';
import { ThreadPane } from './thread-pane.tsx';
import { useInboxKeys } from './use-inbox-keys.ts';

interface InboxProps {
  readonly workspace: string;
  /** Whose chat is open; null for none. */
  readonly counterpart: string | null;
  readonly search: ChatsSearch;
}

/**
 * Numbers, the chats of one, and a chat, side by side where there is room. On narrow screens one of them at a time; the
 * address says which.
 */
export function Inbox({ workspace, counterpart, search }: InboxProps): ReactNode {
  const t = useTexts('chats');
  const query = useQuery(numbersQuery(workspace));
  const title = counterpart === null ? t.title : addressText(counterpart);
  if (query.data === undefined) {
    return (
      <Page title={title}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    );
  }
  if (query.data.length === 0) {
    return (
      <Page title={title}>
        <EmptyState title={t.noNumber} action={<ToNumbers workspace={workspace} />}>
          {t.noNumberHint}
        </EmptyState>
      </Page>
    );
  }
  return <Panes workspace={workspace} counterpart={counterpart} search={search} numbers={query.data} />;
}

function Panes({
  workspace,
  counterpart,
  search,
  numbers,
}: InboxProps & { readonly numbers: readonly InstanceResource[] }): ReactNode {
  const t = useTexts('chats');
  const inbox = useRef<HTMLDivElement>(null);
  const number = numberAmong(numbers, search.instance);
  const isOpen = counterpart !== null && number !== undefined;
  const level = number === undefined ? 'numbers' : isOpen ? 'chat' : 'chats';
  useInboxKeys(inbox, { workspace, search });
  return (
    <div ref={inbox} className={styles['inbox']} data-level={level}>
      <div className={styles['panes']}>
        {(numbers.length > 1 || number === undefined) && (
          <div className={styles['numbers']}>
            <NumbersPane workspace={workspace} numbers={numbers} chosen={number?.id} />
          </div>
        )}
        {number && (
          <div className={styles['chats']}>
            <ChatsPane
              workspace={workspace}
              number={number}
              isOnly={numbers.length === 1}
              find={search.find}
              counterpart={counterpart}
            />
          </div>
        )}
        <div className={styles['chat']}>
          {isOpen ? (
            <ThreadPane
              key={`${number.id} ${counterpart}`}
              workspace={workspace}
              number={number}
              counterpart={counterpart}
              find={search.find}
            />
          ) : (
            <div className={styles['none']}>
              <EmptyState title={number ? t.chooseChat : t.chooseNumber}>{hintOf()}</EmptyState>
            </div>
          )}
        </div>
      </div>
    </div>
  );

  function hintOf(): string {
    if (number) return t.chooseChatHint;
    return search.instance === undefined ? t.chooseHint : t.noSuchNumber;
  }
}

function ToNumbers({ workspace }: { readonly workspace: string }): ReactNode {
  const t = useTexts('chats');
  return (
    <Link to="/w/$workspace/numbers" params={{ workspace }}>
      {t.toNumbers}
    </Link>
  );
}

/** The number with the id `chosen`; if none is chosen, the only number. */
function numberAmong(
  numbers: readonly InstanceResource[],
  chosen: string | undefined,
): InstanceResource | undefined {
  if (chosen === undefined) return numbers.length === 1 ? numbers[0] : undefined;
  return numbers.find(({ id }) => id === chosen);
}
