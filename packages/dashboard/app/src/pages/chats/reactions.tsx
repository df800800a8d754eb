import type { ReactNode } from 'react';
import { useTexts } from '../../texts/language.tsx';
import type { Reaction } from './activity.ts';
import { contactName } from './names.ts';
import styles from './reactions.module.css';

/** The reactions to a message, on the lower edge of its bubble. */
export function Reactions({ reactions }: { readonly reactions: readonly Reaction[] }): ReactNode {
  const t = useTexts('chats');
  if (reactions.length === 0) return null;
  return (
    <ul aria-label={t.reactionsShown} className={styles['reactions']}>
      {reactions.map(({ emoji, by }) => {
        const names = by
          .map((contact) => (contact === null ? t.you : (contactName(contact) ?? '')))
          .join(', ');
        return (
          <li key={emoji} title={names}>
            <bdi>{emoji}</bdi>
            {by.length > 1 && ` ${by.length}`}
            <span className="unseen"> {names}</span>
          </li>
        );
      })}
    </ul>
  );
}
