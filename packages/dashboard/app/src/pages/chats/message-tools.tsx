import { Link } from '@tanstack/react-router';
import type { InstanceResource, MessageResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { Button } from '../../components/button.tsx';
import { useTexts } from '../../texts/language.tsx';
import { DeleteMessage } from './delete-message.tsx';
import { hasWords } from './edit-form.tsx';
import { Icon } from './icon.tsx';
import { MarkRead } from './mark-read.tsx';
import styles from './message-tools.module.css';
import { ReactChoice } from './react-choice.tsx';

interface MessageToolsProps {
  readonly workspaceId: string;
  readonly message: MessageResource;
  /** The beginning of the message, for the labels. */
  readonly excerpt: string;
  /** Null if the session may not send. */
  readonly onReply: ((message: MessageResource) => void) | null;
  onEdit(): void;
  readonly actions: InstanceResource['capabilities'];
}

/** The actions on a message. Shown while the pointer or the focus is on it. */
export function MessageTools(props: MessageToolsProps): ReactNode {
  const t = useTexts('chats');
  const { workspaceId, message, excerpt, onReply, onEdit, actions } = props;
  const { id, direction, status, deleted_at, read_at } = message;
  const isOwn = direction === 'outbound';
  const isThere = deleted_at === null && status !== 'failed';
  const about = { workspaceId, message, excerpt };
  return (
    <div role="group" aria-label={t.actionsOn(excerpt)} className={styles['tools']}>
      {onReply && isThere && status !== 'queued' && (
        <Button
          kind="bare"
          data-reply=""
          aria-label={t.replyTo(excerpt)}
          title={t.reply}
          onClick={() => onReply(message)}
        >
          <Icon name="reply" />
        </Button>
      )}
      {isThere && actions.includes('reactions') && <ReactChoice {...about} />}
      {isThere && actions.includes('edits') && isOwn && hasWords(message) && (
        <Button kind="bare" aria-label={t.editOf(excerpt)} title={t.edit} onClick={onEdit}>
          <Icon name="edit" />
        </Button>
      )}
      {isThere && actions.includes('deletions') && isOwn && status !== 'queued' && (
        <DeleteMessage {...about} />
      )}
      {actions.includes('read_marks') && !isOwn && read_at === null && <MarkRead {...about} />}
      <Link
        to="/w/$workspace/messages/$message"
        params={{ workspace: workspaceId, message: id }}
        aria-label={t.detailsOf(excerpt)}
        title={t.details}
        className={styles['link']}
      >
        <Icon name="details" />
      </Link>
    </div>
  );
}
