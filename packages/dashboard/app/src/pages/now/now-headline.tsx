import type { InstanceResource, WebhookResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { Headline } from '../../components/headline.tsx';
import type { Tone } from '../../components/status-badge.tsx';
import { countTroubles } from '../../domain/number-status.ts';
import { webhookState } from '../../domain/webhook-status.ts';
import { useTexts } from '../../texts/language.tsx';

interface NowHeadlineProps {
  /** The numbers that need attention or are connecting. */
  readonly numbers: readonly InstanceResource[];
  readonly webhooks: readonly WebhookResource[];
  /** The number of messages in slow queues. */
  readonly waiting: number;
  readonly connected: number;
}

/** One short sentence for each kind of problem, or that all is well. */
export function NowHeadline({
  numbers,
  webhooks,
  waiting: messages,
  connected,
}: NowHeadlineProps): ReactNode {
  const t = useTexts('now');
  const { bad: down, act: waiting, busy: connecting } = countTroubles(numbers);
  const disabled = webhooks.filter((webhook) => webhookState(webhook) === 'disabled').length;
  const failing = webhooks.length - disabled;
  const sentences = [
    down > 0 && t.numbersDown(down),
    waiting > 0 && t.numbersWaiting(waiting),
    connecting > 0 && t.numbersConnecting(connecting),
    messages > 0 && t.messagesWaiting(messages),
    disabled > 0 && t.webhooksDown(disabled),
    failing > 0 && t.webhooksFailing(failing),
  ].filter((sentence) => sentence !== false);
  const tone = toneIf({
    bad: down + disabled > 0,
    act: waiting + messages + failing > 0,
    busy: connecting > 0,
  });
  return (
    <Headline tone={tone} detail={sentences.length === 0 && t.allWellDetail(connected)}>
      {sentences.length > 0 ? sentences.join(' ') : t.allWell}
    </Headline>
  );
}

function toneIf({ bad, act, busy }: Readonly<Record<'bad' | 'act' | 'busy', boolean>>): Tone {
  if (bad) return 'bad';
  if (act) return 'act';
  return busy ? 'busy' : 'good';
}
