import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { InstanceResource, MessageResource } from '@trunkline/http/client';
import { useMemo, useState } from 'react';
import type { DragEvent, ReactNode } from 'react';
import { networksQuery } from '../../api/lists.ts';
import { Avatar } from '../../components/avatar.tsx';
import { Button } from '../../components/button.tsx';
import { ErrorView } from '../../components/error-view.tsx';
import { Id } from '../../components/id.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { useRefreshMs } from '../../live/live.tsx';
import { useMay, useSession } from '../../shell/session-context.ts';
import { useTexts } from '../../texts/language.tsx';
import { AsThem } from './as-them.tsx';
import { BlockContact } from './block-contact.tsx';
import { Composer } from './composer.tsx';
import { Icon } from './icon.tsx';
import { MarkAlways, MarkChatRead, useChatMarking } from './mark-chat-read.tsx';
import { thread } from './queries.ts';
import { stretchQuery } from './stretch-query.ts';
import styles from './thread-pane.module.css';
import { ThreadView } from './thread-view.tsx';
import { useCounterpart } from './use-counterpart.ts';

interface ThreadPaneProps {
  readonly workspace: string;
  readonly number: InstanceResource;
  readonly counterpart: string;
  readonly find: string | undefined;
}

export function ThreadPane({ workspace, number, counterpart, find }: ThreadPaneProps): ReactNode {
  const t = useTexts('chats');
  const { features } = useSession();
  const maySend = useMay('messages:send');
  const mayControl = useMay('instances:write');
  const { data: networks = [] } = useQuery(networksQuery(workspace));
  const isSimulated = networks.some(({ name: of, simulated }) => of === number.network && simulated);
  const address = useMemo(
    () => ({ workspaceId: workspace, instanceId: number.id, counterpart }),
    [workspace, number.id, counterpart],
  );
  const list = useMemo(() => thread(address), [address]);
  const query = useQuery({ ...stretchQuery(list), refetchInterval: useRefreshMs(10_000) });
  const [repliedTo, setRepliedTo] = useState<MessageResource | null>(null);
  const [isMoreShown, setMoreShown] = useState(false);
  const { file, setFile, isOver, target } = useDroppedFile(maySend);
  const messages = query.data?.rows ?? NO_MESSAGES;
  const person = useCounterpart(address, messages);
  const { name, isGroup, phone, contactId } = person;
  const isConnected = number.status === 'connected';
  const capabilities = maySend ? number.capabilities : [];
  const mayMark = capabilities.includes('read_marks');
  const marking = useChatMarking(workspace, { messages, mayMark });
  const asThem = features.sandbox && isSimulated && mayControl && isConnected && (
    <AsThem address={address} name={name} messages={messages} />
  );
  const mayBlock = !isGroup && contactId !== null && isConnected && capabilities.includes('block');
  return (
    <div className={styles['pane']} data-chat-open="" {...target}>
      <Page
        title={name}
        above={
          <>
            <Link
              to="/w/$workspace/chats"
              params={{ workspace }}
              search={{ instance: number.id, ...(find !== undefined && { find }) }}
              className={styles['back']}
              aria-label={t.toChats}
              title={t.toChats}
            >
              <Icon name="back" />
            </Link>
            <Avatar id={contactId ?? counterpart} name={name} size="large" />
          </>
        }
        facts={
          <>
            <Link to="/w/$workspace/numbers/$instance" params={{ workspace, instance: number.id }}>
              {number.name}
            </Link>
            {isGroup && (
              <Link to="/w/$workspace/groups/$group" params={{ workspace, group: counterpart }}>
                {t.group}
              </Link>
            )}
            {phone !== null && phone !== name && <span>{phone}</span>}
          </>
        }
        actions={
          <>
            <MarkChatRead marking={marking} />
            <Button
              aria-label={t.more}
              title={t.more}
              aria-expanded={isMoreShown}
              onClick={() => setMoreShown(!isMoreShown)}
            >
              <Icon name="more" />
            </Button>
          </>
        }
      >
        <div className={styles['body']}>
          {isMoreShown && (
            <div role="group" aria-label={t.more} className={styles['more']}>
              <Id value={counterpart} />
              {mayMark && <MarkAlways marking={marking} />}
              {mayBlock && <BlockContact workspaceId={workspace} contactId={contactId} name={name} />}
            </div>
          )}
          {marking.error !== null && <ErrorView error={marking.error} />}
          <section className={styles['thread']} aria-label={t.threadLabel(name)}>
            <Loaded query={query}>
              {(stretch) => (
                <ThreadView
                  address={address}
                  list={list}
                  stretch={stretch}
                  person={person}
                  onReply={maySend ? setRepliedTo : null}
                  actions={capabilities}
                />
              )}
            </Loaded>
          </section>
          {!isConnected && <p className={styles['note']}>{t.waits}</p>}
          {maySend ? (
            <Composer
              address={address}
              list={list}
              person={person}
              capabilities={capabilities}
              repliedTo={repliedTo}
              onReply={setRepliedTo}
              file={file}
              onFile={setFile}
              aside={asThem}
            />
          ) : (
            <p className={styles['note']}>{t.readOnly}</p>
          )}
          {isOver && <p className={styles['drop']}>{t.drop}</p>}
        </div>
      </Page>
    </div>
  );
}

const NO_MESSAGES: readonly MessageResource[] = [];

/** The file to send, which may be dropped anywhere on the chat. */
function useDroppedFile(maySend: boolean) {
  const [file, setFile] = useState<File | null>(null);
  const [isOver, setOver] = useState(false);
  const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes('Files');
  const target = {
    onDragOver(event: DragEvent): void {
      if (!maySend || !hasFiles(event)) return;
      // Without this, the browser would open the file instead of the page.
      event.preventDefault();
      setOver(true);
    },
    onDragLeave(event: DragEvent): void {
      const { currentTarget, relatedTarget } = event;
      if (!(relatedTarget instanceof Node) || !currentTarget.contains(relatedTarget)) setOver(false);
    },
    onDrop(event: DragEvent): void {
      if (!maySend || !hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      setFile((now) => event.dataTransfer.files[0] ?? now);
    },
  };
  return { file, setFile, isOver, target };
}
