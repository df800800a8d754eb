import type { DeliveryDetailResource } from '@trunkline/http/client';
import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { Json } from '../../components/json.tsx';
import { Timeline } from '../../components/timeline.tsx';
import type { Attempt } from '../../domain/delivery-status.ts';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import styles from './attempts.module.css';

/** Newest first. */
export function Attempts({
  delivery: { attempt_log },
}: {
  readonly delivery: DeliveryDetailResource;
}): ReactNode {
  const t = useTexts('webhooks');
  const { locale } = useLanguage();
  const numbers = new Intl.NumberFormat(locale);
  const milliseconds = new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: 'millisecond',
    maximumFractionDigits: 0,
  });
  if (attempt_log.length === 0) return <p>{t.attemptsNone}</p>;
  return (
    <Timeline
      entries={attempt_log.toReversed().map((attempt) => ({
        key: String(attempt.attempt),
        at: attempt.at,
        tone: attempt.error_code === null ? 'good' : 'bad',
        title: (
          <span className={styles['title']}>
            <span>
              {t.attempt(numbers.format(attempt.attempt))}
              {attempt.manual && ` (${t.byHand})`}
            </span>
            <code>{attempt.response_status ?? attempt.error_code}</code>
            <span>{milliseconds.format(attempt.duration_ms)}</span>
          </span>
        ),
        details: <Outcome attempt={attempt} />,
      }))}
    />
  );
}

function Outcome({
  attempt: { error_code, response_status, response_body },
}: {
  readonly attempt: Attempt;
}): ReactNode {
  const t = useTexts('webhooks');
  const hasBody = response_body !== null && response_body !== '';
  return (
    <div className={styles['outcome']}>
      {error_code !== null && <p>{t.errors[error_code]}</p>}
      {response_status !== null && !hasBody && <p>{t.bodyNone}</p>}
      {hasBody && <ResponseBody body={response_body} />}
    </div>
  );
}

/** A longer response body is shortened; the rest is shown on request. */
const EXCERPT_LINES = 6;
const EXCERPT_CHARACTERS = 400;

function ResponseBody({ body }: { readonly body: string }): ReactNode {
  const t = useTexts('webhooks');
  const { locale } = useLanguage();
  const json = useMemo(() => jsonIn(body), [body]);
  if (json !== null) return <Json label={t.responseBody} value={json} text={body} />;
  const excerpt = body.slice(0, EXCERPT_CHARACTERS).split('\n').slice(0, EXCERPT_LINES).join('\n');
  if (excerpt === body) return <pre className={styles['body']}>{body}</pre>;
  return (
    <>
      <pre className={styles['body']}>{`${excerpt}…`}</pre>
      <details>
        <summary>{t.bodyAll(new Intl.NumberFormat(locale).format(body.length))}</summary>
        <pre className={styles['body']}>{body}</pre>
      </details>
    </>
  );
}

/** The object or list that the text is; null for any other text. */
function jsonIn(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
