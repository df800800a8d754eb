import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { InstanceResource, MessageResource } from '@trunkline/http/client';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { messageQuery } from '../../api/lists.ts';
import { Button } from '../../components/button.tsx';
import { classes } from '../../components/class-names.ts';
import { MediaFile } from '../../components/media-file.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';
import { counterpartName, MESSAGE_TONES, statusTime } from '../../domain/message-status.ts';
import { useTexts } from '../../texts/language.tsx';
import { DeleteMessage } from './delete-message.tsx';
import { EditWords, hasWords } from './edit-words.tsx';
import { MarkRead } from './mark-read.tsx';
import { ReactChoice } from './react-choice.tsx';
import styles from './thread-message.module.css';

interface ThreadMessageProps {
  readonly workspaceId: string;
  readonly message: MessageResource;
  /** The message that this message replies to; null if the thread does not have it. */
  readonly quoted: MessageResource | null;
  /** Whether the user got here by following a quote. */
  readonly isMarked: boolean;
  readonly onReply: ((message: MessageResource) => void) | null;
  /** The capabilities of the number; none if the session may not send. */
  readonly actions: InstanceResource['capabilities'];
  onQuoted(id: string): void;
}

export function ThreadMessage(props: ThreadMessageProps): ReactNode {
  const t = useTexts('chats');
  const { workspaceId, message, isMarked, onReply, actions } = props;
  const { direction, group_id, status, error, deleted_at, edited_at, origin } = message;
  const isOwn = direction === 'outbound';
  const writer = useWriter(message);
  const about = { workspaceId, message, excerpt: excerptOf(message) ?? writer };
  return (
    <article
      data-message={message.id}
      aria-label={writer}
      className={classes(styles['message'], isOwn && styles['own'], isMarked && styles['marked'])}
    >
      {group_id !== null && !isOwn && (
        <p className={styles['writer']}>
          <bdi>{writer}</bdi>
        </p>
      )}
      {deleted_at === null ? (
        <>
          {message.reply_to !== null && <Quote {...props} replyTo={message.reply_to} />}
          <MediaFile workspaceId={workspaceId} message={message} />
          <Words message={message} />
        </>
      ) : (
        <p className={styles['quiet']}>{t.deleted}</p>
      )}
      {error !== null && (
        <p className={styles['error']}>
          {error.message} <code>{error.code}</code>
        </p>
      )}
      <div className={styles['foot']}>
        {isOwn ? (
          <>
            <Status status={status} />
            <Time at={statusTime(message)} as="clock" />
          </>
        ) : (
          <Time at={message.created_at} as="clock" />
        )}
        {edited_at !== null && deleted_at === null && <span>{t.edited}</span>}
        {origin === 'device' && <span>{t.fromDevice}</span>}
        <Link to="/w/$workspace/messages/$message" params={{ workspace: workspaceId, message: message.id }}>
          {t.details}
        </Link>
        {onReply && deleted_at === null && status !== 'failed' && status !== 'queued' && (
          <Button
            kind="bare"
            className={styles['reply']}
            aria-label={t.replyTo(excerptOf(message) ?? writer)}
            onClick={() => onReply(message)}
          >
            {t.reply}
          </Button>
        )}
        {deleted_at === null && status !== 'failed' && (
          <>
            {actions.includes('reactions') && <ReactChoice {...about} />}
            {actions.includes('edits') && isOwn && hasWords(message) && <EditWords {...about} />}
            {actions.includes('deletions') && isOwn && status !== 'queued' && <DeleteMessage {...about} />}
          </>
        )}
        {actions.includes('read_marks') && !isOwn && message.read_at === null && <MarkRead {...about} />}
      </div>
    </article>
  );
}

function Status({ status }: Pick<MessageResource, 'status'>): ReactNode {
  const { statuses } = useTexts('messages');
  return <StatusBadge tone={MESSAGE_TONES[status]}>{statuses[status]}</StatusBadge>;
}

/** Longer texts are shortened, because strangers may send any length; the rest is shown on request. */
const SHOWN_MAX = 1_500;

function Words({ message }: { readonly message: MessageResource }): ReactNode {
  const t = useTexts('chats');
  const [isWhole, setWhole] = useState(false);
  const words = message.text ?? message.caption;
  if (words === null || words === '')
    return message.media === null && <p className={styles['quiet']}>{message.kind}</p>;
  const isCut = !isWhole && words.length > SHOWN_MAX;
  return (
    <>
      <p dir="auto" className={styles['words']}>
        {isCut ? `${words.slice(0, SHOWN_MAX)}…` : words}
      </p>
      {isCut && <Button onClick={() => setWhole(true)}>{t.showAll}</Button>}
    </>
  );
}

function Quote({
  workspaceId,
  quoted,
  replyTo,
  onQuoted,
}: ThreadMessageProps & { readonly replyTo: string }): ReactNode {
  const t = useTexts('chats');
  // A quoted message may be older than the loaded messages.
  const elsewhere = useQuery({ ...messageQuery(workspaceId, replyTo), enabled: quoted === null }).data;
  const found = quoted ?? elsewhere ?? null;
  const content = (
    <>
      <span className="unseen">{t.quoted} </span>
      {found === null ? t.quotedElsewhere : <Excerpt message={found} />}
    </>
  );
  if (quoted !== null) {
    return (
      <button
        type="button"
        className={styles['quote']}
        title={t.showQuoted}
        onClick={() => onQuoted(replyTo)}
      >
        {content}
      </button>
    );
  }
  return (
    <Link
      to="/w/$workspace/messages/$message"
      params={{ workspace: workspaceId, message: replyTo }}
      className={styles['quote']}
    >
      {content}
    </Link>
  );
}

/** A message's author and the beginning of its content, for a quote. */
export function Excerpt({ message }: { readonly message: MessageResource }): ReactNode {
  const t = useTexts('chats');
  const { types } = useTexts('messages');
  const writer = useWriter(message);
  return (
    <>
      <bdi className={styles['writer']}>{writer}</bdi>
      <bdi className={styles['excerpt']}>
        {message.deleted_at === null ? (excerptOf(message) ?? types[message.type]) : t.deleted}
      </bdi>
    </>
  );
}

function useWriter(message: MessageResource): string {
  const t = useTexts('chats');
  return message.direction === 'outbound' ? t.you : (counterpartName(message) ?? t.unknownWriter);
}

const EXCERPT_MAX = 100;

function excerptOf({ text, caption, media }: MessageResource): string | null {
  const words = (text ?? caption ?? media?.filename ?? '').slice(0, EXCERPT_MAX).replace(/\s+/g, ' ').trim();
  return words === '' ? null : words;
}
