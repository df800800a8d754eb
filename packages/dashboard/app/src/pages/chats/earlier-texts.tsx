import { useQuery } from '@tanstack/react-query';
import type { MessageResource } from '@trunkline/http/client';
import type { WebhookEvent } from '@trunkline/receiver';
import { useId, useState } from 'react';
import type { ReactNode } from 'react';
import { Loaded } from '../../components/loaded.tsx';
import { useTexts } from '../../texts/language.tsx';
import styles from './earlier-texts.module.css';
import { earlierTextsQuery } from './queries.ts';
import { ShortTime } from './short-time.tsx';

/** The word *edited*, which opens the texts that the message had before. */
export function EarlierTexts({
  workspaceId,
  message,
}: {
  readonly workspaceId: string;
  readonly message: MessageResource;
}): ReactNode {
  const t = useTexts('chats');
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        title={t.earlier}
        className={styles['edited']}
        onClick={() => setOpen(!isOpen)}
      >
        {t.edited}
      </button>
      {isOpen && (
        <div id={id} className={styles['earlier']}>
          <Earlier workspaceId={workspaceId} message={message} />
        </div>
      )}
    </>
  );
}

function Earlier({
  workspaceId,
  message,
}: {
  readonly workspaceId: string;
  readonly message: MessageResource;
}): ReactNode {
  const t = useTexts('chats');
  const query = useQuery(earlierTextsQuery(workspaceId, message.id));
  return (
    <Loaded query={query}>
      {(events) => {
        const earlier = earlierIn(events, message);
        if (earlier.length === 0) return <p>{t.noEarlier}</p>;
        return (
          <ol aria-label={t.earlier}>
            {earlier.map(({ words, at }) => (
              <li key={at}>
                <span className={styles['when']}>
                  <ShortTime at={at} />
                </span>
                <span dir="auto" className={styles['words']}>
                  {words}
                </span>
              </li>
            ))}
          </ol>
        );
      }}
    </Loaded>
  );
}

interface Earlier {
  readonly words: string;
  /** When an event first had this text. */
  readonly at: string;
}

/** The texts of the message in its events, which are newest first, without its present text. Oldest first. */
function earlierIn(events: readonly WebhookEvent[], message: MessageResource): readonly Earlier[] {
  const texts: Earlier[] = [];
  for (const { data, created_at } of events.toReversed()) {
    const words = 'message' in data ? wordsOf(data.message) : null;
    if (words !== null && words !== texts.at(-1)?.words) texts.push({ words, at: created_at });
  }
  return texts.at(-1)?.words === wordsOf(message) ? texts.slice(0, -1) : texts;
}

function wordsOf({ text, caption }: MessageResource): string | null {
  return text ?? caption;
}
