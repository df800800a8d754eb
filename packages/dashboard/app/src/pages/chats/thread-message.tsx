import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { InstanceResource, MessageResource } from '@trunkline/http/client';
import { memo, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { messageQuery } from '../../api/lists.ts';
import { Avatar } from '../../components/avatar.tsx';
import { Button } from '../../components/button.tsx';
import { classes } from '../../components/class-names.ts';
import { MediaFile } from '../../components/media-file.tsx';
import { useTexts } from '../../texts/language.tsx';
import type { Reaction } from './activity.ts';
import { EarlierTexts } from './earlier-texts.tsx';
import { EditForm } from './edit-form.tsx';
import { LinkedText } from './linked-text.tsx';
import { MessageTools } from './message-tools.tsx';
import { Reactions } from './reactions.tsx';
import { ShortTime } from './short-time.tsx';
import styles from './thread-message.module.css';
import { Ticks } from './ticks.tsx';
import { writerOf } from './use-counterpart.ts';
import type { Counterpart } from './use-counterpart.ts';

interface ThreadMessageProps {
  readonly workspaceId: string;
  readonly message: MessageResource;
  readonly person: Counterpart;
  /** Whether it is the first of several messages of its author. */
  readonly isFirst: boolean;
  /** The message that this message replies to; null if the thread does not have it. */
  readonly quoted: MessageResource | null;
  readonly reactions: readonly Reaction[] | undefined;
  /** Whether the user got here by following a quote. */
  readonly isMarked: boolean;
  /** Whether it shows its actions when the pointer or the focus is on it. */
  readonly isActive: boolean;
  /** Whether the Tab key stops here; the arrow keys go on from here. */
  readonly isReachable: boolean;
  onActive(id: string): void;
  readonly onReply: ((message: MessageResource) => void) | null;
  /** The capabilities of the number; none if the session may not send. */
  readonly actions: InstanceResource['capabilities'];
  onQuoted(id: string): void;
}

export const ThreadMessage = memo(ThreadMessageView, (before, after) => {
  const names = Object.keys(after) as (keyof ThreadMessageProps)[]; // Object.keys returns string[]
  // `onQuoted` is new at each drawing, but does the same.
  return names.every((name) => name === 'onQuoted' || before[name] === after[name]);
});

function ThreadMessageView(props: ThreadMessageProps): ReactNode {
  const t = useTexts('chats');
  const { workspaceId, message, person, isFirst, reactions, isMarked, isActive, isReachable } = props;
  const { id, direction, status, error, deleted_at, edited_at, origin, send_at } = message;
  const [isEditing, setEditing] = useState(false);
  const bubble = useRef<HTMLElement>(null);
  const isOwn = direction === 'outbound';
  const writer = useWriter(message, person);
  const activate = (): void => {
    if (!isActive) props.onActive(id);
  };
  return (
    <div
      className={classes(styles['row'], isOwn && styles['own'])}
      onPointerEnter={activate}
      onFocus={activate}
    >
      {person.isGroup && !isOwn && (
        <span className={styles['avatar']}>
          {isFirst && <Avatar id={message.contact?.id ?? writer} name={writer} />}
        </span>
      )}
      <div className={styles['place']}>
        <article
          ref={bubble}
          tabIndex={isReachable ? 0 : -1}
          aria-label={writer}
          className={classes(styles['message'], isMarked && styles['marked'])}
        >
          {person.isGroup && !isOwn && isFirst && (
            <p className={styles['writer']}>
              <bdi>{writer}</bdi>
            </p>
          )}
          {deleted_at === null && (
            <>
              {message.reply_to !== null && <Quote {...props} replyTo={message.reply_to} />}
              <MediaFile workspaceId={workspaceId} message={message} />
            </>
          )}
          {error !== null && (
            <p className={styles['error']}>
              {error.message} <code>{error.code}</code>
            </p>
          )}
          <div className={styles['line']}>
            <div className={styles['content']}>
              {isEditing ? (
                <EditForm
                  workspaceId={workspaceId}
                  message={message}
                  onClose={() => {
                    setEditing(false);
                    bubble.current?.focus();
                  }}
                />
              ) : (
                <Words message={message} />
              )}
              {edited_at !== null && deleted_at === null && (
                <EarlierTexts workspaceId={workspaceId} message={message} />
              )}
            </div>
            <div className={styles['foot']}>
              {origin === 'device' && <span>{t.fromDevice}</span>}
              {send_at !== undefined && status === 'queued' && (
                <span>
                  {t.sendAt} <ShortTime at={send_at} as="day" /> <ShortTime at={send_at} />
                </span>
              )}
              <ShortTime at={message.created_at} />
              {isOwn && <Ticks status={status} />}
            </div>
          </div>
        </article>
        {isActive && (
          <MessageTools
            workspaceId={workspaceId}
            message={message}
            excerpt={excerptOf(message) ?? writer}
            onReply={props.onReply}
            onEdit={() => setEditing(!isEditing)}
            actions={props.actions}
          />
        )}
        {reactions !== undefined && deleted_at === null && <Reactions reactions={reactions} />}
      </div>
    </div>
  );
}

/** Longer texts are shortened, because strangers may send any length; the rest is shown on request. */
const SHOWN_MAX = 1_500;

function Words({ message }: { readonly message: MessageResource }): ReactNode {
  const t = useTexts('chats');
  const [isWhole, setWhole] = useState(false);
  const words = message.text ?? message.caption;
  if (message.deleted_at !== null) {
    return <p className={styles['quiet']}>{message.direction === 'outbound' ? t.deletedOwn : t.deleted}</p>;
  }
  if (words === null || words === '')
    return message.media === null && <p className={styles['quiet']}>{message.kind}</p>;
  const isCut = !isWhole && words.length > SHOWN_MAX;
  return (
    <>
      <p dir="auto" className={styles['words']}>
        <LinkedText text={isCut ? `${words.slice(0, SHOWN_MAX)}…` : words} />
      </p>
      {isCut && <Button onClick={() => setWhole(true)}>{t.showAll}</Button>}
    </>
  );
}

function Quote({
  workspaceId,
  quoted,
  replyTo,
  person,
  onQuoted,
}: ThreadMessageProps & { readonly replyTo: string }): ReactNode {
  const t = useTexts('chats');
  // A quoted message may be older than the loaded messages.
  const elsewhere = useQuery({ ...messageQuery(workspaceId, replyTo), enabled: quoted === null }).data;
  const found = quoted ?? elsewhere ?? null;
  const content = (
    <>
      <span className="unseen">{t.quoted} </span>
      {found === null ? t.quotedElsewhere : <Excerpt message={found} person={person} />}
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
export function Excerpt({
  message,
  person,
}: {
  readonly message: MessageResource;
  readonly person: Counterpart;
}): ReactNode {
  const t = useTexts('chats');
  const { types } = useTexts('messages');
  const writer = useWriter(message, person);
  return (
    <>
      <bdi className={styles['writer']}>{writer}</bdi>
      <bdi className={styles['excerpt']}>
        {message.deleted_at === null ? (excerptOf(message) ?? types[message.type]) : t.deleted}
      </bdi>
    </>
  );
}

function useWriter(message: MessageResource, person: Counterpart): string {
  const t = useTexts('chats');
  return message.direction === 'outbound' ? t.you : (writerOf(message, person) ?? t.unknownWriter);
}

const EXCERPT_MAX = 100;

function excerptOf({ text, caption, media }: MessageResource): string | null {
  const words = (text ?? caption ?? media?.filename ?? '').slice(0, EXCERPT_MAX).replace(/\s+/g, ' ').trim();
  return words === '' ? null : words;
}
