import { useQuery } from '@tanstack/react-query';
import type { MessageResource, StandingCode } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { Loaded } from '../../components/loaded.tsx';
import { Panel } from '../../components/panel.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import type { Tone } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';
import { useRefreshMs } from '../../live/live.tsx';
import { useTexts } from '../../texts/language.tsx';
import { standingQuery } from './queries.ts';
import styles from './standing.module.css';

/** The message's status, what it means, and since when it applies. */
export function Standing({
  workspaceId,
  message,
}: {
  readonly workspaceId: string;
  readonly message: MessageResource;
}): ReactNode {
  const t = useTexts('messages');
  const query = useQuery({
    ...standingQuery(workspaceId, message.id),
    refetchInterval: useRefreshMs(5_000),
  });
  return (
    <Panel title={t.status} isTitleUnseen>
      <Loaded query={query}>
        {({ code, since, until }) => (
          <div className={styles['standing']}>
            <StatusBadge tone={TONES[code]}>{t.statuses[message.status]}</StatusBadge>
            <p className={styles['sentence']}>
              {t.standing[code]}
              {code === 'failed' && message.error !== null && ` ${message.error.message}`}
            </p>
            <p className={styles['since']}>
              {t.since} <Time at={since} as="moment" /> (<Time at={since} />)
            </p>
            {until !== null && (
              <p className={styles['since']}>
                {t.until} <Time at={until} as="moment" />
              </p>
            )}
            {code === 'failed' && message.error !== null && <code>{message.error.code}</code>}
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

const TONES: Readonly<Record<StandingCode, Tone>> = {
  received: 'good',
  scheduled: 'idle',
  waiting: 'busy',
  waiting_for_workspace: 'act',
  waiting_for_instance: 'act',
  waiting_for_pace: 'busy',
  unconfirmed: 'busy',
  delivered: 'good',
  read: 'good',
  failed: 'bad',
  deleted: 'idle',
};
