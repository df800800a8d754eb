import type { MessageResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { StatusShape } from '../../components/status-badge.tsx';
import type { Tone } from '../../components/status-badge.tsx';
import { distanceText, Time } from '../../components/time.tsx';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import styles from './message-steps.module.css';

interface Step {
  readonly name: 'accepted' | 'sent' | 'delivered' | 'read' | 'failed' | 'received';
  /** Null for a step still to come. */
  readonly at: string | null;
}

/** The steps of a message, each with its time and, from one second up, the time since the previous step. */
export function MessageSteps({ message }: { readonly message: MessageResource }): ReactNode {
  const t = useTexts('messages');
  const { locale } = useLanguage();
  const steps = stepsOf(message);
  return (
    <ol className={styles['steps']}>
      {steps.map(({ name, at }, index) => {
        const before = steps[index - 1]?.at ?? at;
        const laterMs = at === null || before === null ? 0 : Date.parse(at) - Date.parse(before);
        return (
          <li key={name} className={styles['step']}>
            <span className={styles['mark']}>
              <StatusShape tone={toneOf({ name, at })} />
            </span>
            <span className={styles['name']}>{t.step[name]}</span>
            <span className={styles['at']}>
              {at === null ? t.notYet : <Time at={at} as="precise" />}
              {laterMs >= 1_000 && (
                <span className={styles['after']}>{t.stepAfter(distanceText(locale, laterMs))}</span>
              )}
            </span>
          </li>
        );
      })}
    </ol>
  );
}

function stepsOf({
  direction,
  created_at,
  sent_at,
  delivered_at,
  read_at,
  failed_at,
  received_at,
}: MessageResource): readonly Step[] {
  if (direction === 'inbound')
    return [
      ...(sent_at === null ? [] : [{ name: 'sent' as const, at: sent_at }]),
      { name: 'received', at: received_at ?? created_at },
      ...(read_at === null ? [] : [{ name: 'read' as const, at: read_at }]),
    ];
  const accepted: Step = { name: 'accepted', at: created_at };
  if (failed_at !== null)
    return [
      accepted,
      ...(sent_at === null ? [] : [{ name: 'sent' as const, at: sent_at }]),
      { name: 'failed', at: failed_at },
    ];
  return [
    accepted,
    { name: 'sent', at: sent_at },
    { name: 'delivered', at: delivered_at },
    { name: 'read', at: read_at },
  ];
}

function toneOf({ name, at }: Step): Tone {
  if (name === 'failed') return 'bad';
  return at === null ? 'idle' : 'good';
}
