import { useNavigate } from '@tanstack/react-router';
import { useEffect, useId, useState } from 'react';
import type { ReactNode } from 'react';
import { useTexts } from '../../texts/language.tsx';
import { Button } from '../../components/button.tsx';
import styles from './message-search.module.css';
import type { MessagesSearch } from './search.ts';

const MESSAGE_ID = /^msg_[0-9a-z]{26}$/;

/** Finds by counterpart, or goes to the message whose id it is. */
export function MessageSearch({
  workspaceId,
  search,
}: {
  readonly workspaceId: string;
  readonly search: MessagesSearch;
}): ReactNode {
  const t = useTexts('messages');
  const id = useId();
  const navigate = useNavigate();
  const { counterpart, cursor: _, ...others } = search;
  const [typed, setTyped] = useState(counterpart ?? '');
  useEffect(() => setTyped(counterpart ?? ''), [counterpart]);
  const find = (): void => {
    const wanted = typed.trim();
    if (MESSAGE_ID.test(wanted)) {
      void navigate({
        to: '/w/$workspace/messages/$message',
        params: { workspace: workspaceId, message: wanted },
      });
      return;
    }
    void navigate({
      to: '/w/$workspace/messages',
      params: { workspace: workspaceId },
      search: { ...others, ...(wanted !== '' && { counterpart: wanted }) },
    });
  };
  return (
    <form
      role="search"
      className={styles['search']}
      onSubmit={(event) => {
        event.preventDefault();
        find();
      }}
    >
      <label htmlFor={id} className="unseen">
        {t.searchLabel}
      </label>
      <input
        id={id}
        type="search"
        value={typed}
        maxLength={64}
        placeholder={t.searchHint}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Button type="submit">{t.search}</Button>
    </form>
  );
}
