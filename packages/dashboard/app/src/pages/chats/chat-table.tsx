import { Link } from '@tanstack/react-router';
import type { ChatResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { StatusBadge } from '../../components/status-badge.tsx';
import { rowLink, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { MESSAGE_TONES } from '../../domain/message-status.ts';
import { useTexts } from '../../texts/language.tsx';
import styles from './chat-table.module.css';
import { chatName } from './names.ts';

export function ChatTable({
  workspace,
  chats,
  isStale,
}: {
  readonly workspace: string;
  readonly chats: readonly ChatResource[];
  readonly isStale: boolean;
}): ReactNode {
  const t = useTexts('chats');
  const { statuses } = useTexts('messages');
  return (
    <Table
      caption={t.caption}
      rows={chats}
      keyOf={({ counterpart, last_message }) => counterpart || last_message.id}
      isStale={isStale}
      columns={[
        {
          key: 'with',
          title: t.with,
          cell: (chat) => <Counterpart workspace={workspace} chat={chat} />,
        },
        { key: 'last', title: t.lastMessage, cell: (chat) => <Excerpt chat={chat} /> },
        {
          key: 'status',
          title: t.status,
          cell: ({ last_message: { status } }) => (
            <StatusBadge tone={MESSAGE_TONES[status]}>{statuses[status]}</StatusBadge>
          ),
        },
        {
          key: 'when',
          title: t.when,
          isNumeric: true,
          cell: ({ last_message }) => <Time at={last_message.created_at} as="moment" />,
        },
      ]}
    />
  );
}

function Counterpart({
  workspace,
  chat,
}: {
  readonly workspace: string;
  readonly chat: ChatResource;
}): ReactNode {
  const t = useTexts('chats');
  const { counterpart, group_id, instance_id, last_message } = chat;
  const name = <bdi>{chatName(chat) ?? (group_id === null ? t.unknownCounterpart : t.group)}</bdi>;
  return (
    <span className={styles['with']}>
      {counterpart === '' ? (
        <Link
          to="/w/$workspace/messages/$message"
          params={{ workspace, message: last_message.id }}
          className={rowLink}
        >
          {name}
        </Link>
      ) : (
        <Link
          to="/w/$workspace/chats/$counterpart"
          params={{ workspace, counterpart }}
          search={{ instance: instance_id }}
          className={rowLink}
        >
          {name}
        </Link>
      )}
      {group_id !== null && <span className={styles['quiet']}> · {t.group}</span>}
    </span>
  );
}

/** On one line. */
function Excerpt({ chat }: { readonly chat: ChatResource }): ReactNode {
  const { directions, types, noText } = useTexts('messages');
  const { direction, type, excerpt } = chat.last_message;
  return (
    <span className={styles['excerpt']}>
      <span className={styles['quiet']}>
        <span aria-hidden="true">{direction === 'inbound' ? '←' : '→'}</span>
        <span className="unseen">{directions[direction]}</span> {type !== 'text' && `${types[type]} · `}
      </span>
      <bdi>{excerpt ?? (type === 'text' ? noText : '')}</bdi>
    </span>
  );
}
