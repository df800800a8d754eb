import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { MessageResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { messageQuery, numbersQuery } from '../../api/lists.ts';
import { Facts } from '../../components/facts.tsx';
import { Id } from '../../components/id.tsx';
import { Json } from '../../components/json.tsx';
import { LoadedPage } from '../../components/loaded-page.tsx';
import { MediaFile } from '../../components/media-file.tsx';
import { Page } from '../../components/page.tsx';
import { Panel } from '../../components/panel.tsx';
import { counterpartId, counterpartName } from '../../domain/message-status.ts';
import { useRefreshMs } from '../../live/live.tsx';
import { useTexts } from '../../texts/language.tsx';
import { MessageEvents } from './message-events.tsx';
import styles from './message-page.module.css';
import { MessageSteps } from './message-steps.tsx';
import { PollVotes } from './poll-votes.tsx';
import { Standing } from './standing.tsx';

const route = getRouteApi('/session/w/$workspace/messages/$message');

export function MessagePage(): ReactNode {
  const { workspace, message } = route.useParams();
  const query = useQuery({ ...messageQuery(workspace, message), refetchInterval: useRefreshMs(5_000) });
  return (
    <LoadedPage query={query} title={message} above={<Above workspace={workspace} />}>
      {(found) => <Message workspace={workspace} message={found} />}
    </LoadedPage>
  );
}

function Message({
  workspace,
  message,
}: {
  readonly workspace: string;
  readonly message: MessageResource;
}): ReactNode {
  const t = useTexts('messages');
  const { direction, group_id, instance_id } = message;
  const counterpart = counterpartId(message);
  const name = counterpartName(message) ?? (group_id === null ? t.unknownCounterpart : t.group);
  const number = useQuery(numbersQuery(workspace)).data?.find(({ id }) => id === instance_id);
  return (
    <Page
      title={direction === 'outbound' ? t.to(name) : t.from(name)}
      above={<Above workspace={workspace} />}
      facts={
        <>
          {group_id !== null && <span>{t.inGroup}</span>}
          {counterpart !== null && (
            <Link
              to="/w/$workspace/chats/$counterpart"
              params={{ workspace, counterpart }}
              search={{ instance: instance_id }}
            >
              {t.chat}
            </Link>
          )}
          <Id value={message.id} />
          {/* Comes last: it appears once the number is loaded, and must not move a link. */}
          {number && (
            <Link to="/w/$workspace/numbers/$instance" params={{ workspace, instance: number.id }}>
              {number.name}
            </Link>
          )}
        </>
      }
    >
      <Standing workspaceId={workspace} message={message} />
      <Panel title={t.steps}>
        <MessageSteps message={message} />
      </Panel>
      <Panel title={t.contentTitle}>
        <Content workspace={workspace} message={message} />
      </Panel>
      {message.kind === 'poll' && message.payload !== null && 'options' in message.payload && (
        <Panel title={t.votes}>
          <PollVotes workspaceId={workspace} messageId={message.id} options={message.payload.options} />
        </Panel>
      )}
      <MessageEvents workspaceId={workspace} message={message} />
    </Page>
  );
}

function Above({ workspace }: { readonly workspace: string }): ReactNode {
  const t = useTexts('messages');
  return (
    <Link to="/w/$workspace/messages" params={{ workspace }}>
      {t.title}
    </Link>
  );
}

function Content({
  workspace,
  message,
}: {
  readonly workspace: string;
  readonly message: MessageResource;
}): ReactNode {
  const t = useTexts('messages');
  const { text, caption, deleted_at, edited_at, reply_to, kind, type, payload, origin } = message;
  const words = text ?? caption;
  return (
    <div className={styles['content']}>
      {deleted_at !== null && <p>{t.deletedText}</p>}
      {words !== null && (
        <p className={styles['words']} dir="auto">
          {words}
          {edited_at !== null && <span className={styles['quiet']}> ({t.edited})</span>}
        </p>
      )}
      <MediaFile workspaceId={workspace} message={message} />
      {origin === 'device' && <p className={styles['quiet']}>{t.fromDevice}</p>}
      <Facts
        facts={[
          {
            name: t.repliesTo,
            value: reply_to && (
              <Link to="/w/$workspace/messages/$message" params={{ workspace, message: reply_to }}>
                {reply_to}
              </Link>
            ),
          },
          { name: t.type, value: kind === type ? t.types[type] : `${t.types[type]} · ${kind}` },
          { name: t.fields, value: payload && <Json label={t.fields} value={payload} /> },
        ]}
      />
    </div>
  );
}
