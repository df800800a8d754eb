import type { InstanceResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { NumberBadge } from '../../components/number-badge.tsx';
import { Panel } from '../../components/panel.tsx';
import { Time } from '../../components/time.tsx';
import { useTexts } from '../../texts/language.tsx';
import styles from './number-status.module.css';
import { needsPasskey } from '../../domain/number-status.ts';

/** The number's status, what it means, and since when it applies. Screen readers announce changes. */
export function NumberStatus({
  number,
  isByCredentials,
}: {
  readonly number: InstanceResource;
  /** Whether the number is linked by credentials instead of by a phone. */
  readonly isByCredentials: boolean;
}): ReactNode {
  const t = useTexts('numbers');
  const { status, status_changed_at, last_error, restriction, has_proxy, has_credentials, pace } = number;
  const isMissing = isByCredentials && !has_credentials;
  const meaning = needsPasskey(number) ? t.passkeyMeaning : t.meanings[status];
  return (
    <Panel title={t.status} isTitleUnseen>
      <div className={styles['status']}>
        <p className={styles['headline']}>
          <span role="status">
            <NumberBadge number={number} />
          </span>
          {status_changed_at !== null && (
            <span className={styles['since']}>
              <Time at={status_changed_at} as="distance" />
            </span>
          )}
        </p>
        <p>{isMissing ? t.credentialsMissing : meaning}</p>
        {restriction && (
          <p>
            {t.restriction(restriction.code)}
            {restriction.until !== null && (
              <>
                {' '}
                {t.restrictionUntil} <Time at={restriction.until} as="moment" />
              </>
            )}
          </p>
        )}
        {last_error !== null && status !== 'connected' && (
          <p className={styles['quiet']}>
            {t.lastError}: <code>{last_error}</code>
            {status === 'error' && last_error === 'passkey_required' && <> {t.passkeyRequired}</>}
            {last_error === 'passkey_unfinished' && <> {t.passkeyUnfinished}</>}
          </p>
        )}
        {has_credentials && <p className={styles['quiet']}>{t.hasCredentials}</p>}
        {has_proxy && <p className={styles['quiet']}>{t.proxy}</p>}
        {pace !== null && <p className={styles['quiet']}>{t.paceMeanings[pace]}</p>}
      </div>
    </Panel>
  );
}
