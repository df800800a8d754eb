import type { ReactNode } from 'react';
import type { SystemResource } from '../../../../src/schemas/admin.ts';
import { Headline } from '../../components/headline.tsx';
import { distanceText } from '../../components/time.tsx';
import { useLanguage, useTexts } from '../../texts/language.tsx';

const NEEDED = ['gateway', 'webhooks', 'maintenance'] as const;

/** Work that has waited for longer is overdue. The first attempts of a delivery are within five minutes. */
const OVERDUE_MS = { message: 60_000, delivery: 300_000 };

/**
 * Names the roles without a process, counts silent processes and instances without a process, and counts what
 * waits where the oldest is overdue, up to the 10,000 at which the service stops counting.
 * The role `api` is not checked, because the API responded.
 */
export function SystemHeadline({
  system: { processes, workload },
  now,
}: {
  readonly system: SystemResource;
  /** When `system` was read, in epoch milliseconds. */
  readonly now: number;
}): ReactNode {
  const t = useTexts('system');
  const { locale } = useLanguage();
  const waited = (since: string | null | undefined): number => (since ? now - Date.parse(since) : 0);
  const messageMs = waited(workload.oldest_queued_message?.since);
  const deliveryMs = waited(workload.oldest_open_delivery_at);
  const running = processes.filter(({ is_silent }) => !is_silent);
  const silent = processes.length - running.length;
  const undone = NEEDED.filter((role) => !running.some(({ roles }) => roles.includes(role)));
  const sentences = [
    ...undone.map((role) => t.nobody[role]),
    ...(silent > 0 ? [t.silentProcesses(silent)] : []),
    ...(workload.unheld_instances > 0 ? [t.unheld(workload.unheld_instances)] : []),
    ...(messageMs > OVERDUE_MS.message
      ? [t.messagesOverdue(workload.queued_messages, distanceText(locale, messageMs))]
      : []),
    ...(deliveryMs > OVERDUE_MS.delivery
      ? [t.deliveriesOverdue(workload.open_deliveries, distanceText(locale, deliveryMs))]
      : []),
  ];
  const tone = undone.length > 0 ? 'bad' : sentences.length > 0 ? 'act' : 'good';
  return (
    <Headline
      tone={tone}
      detail={sentences.length === 0 ? t.allWellDetail(running.length) : silent > 0 && t.silentHint}
    >
      {sentences.length > 0 ? sentences.join(' ') : t.allWell}
    </Headline>
  );
}
