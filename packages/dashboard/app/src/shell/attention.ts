import { useQuery } from '@tanstack/react-query';
import type { OverviewResource } from '../../../src/schemas/overview.ts';
import { overviewQuery } from '../api/lists.ts';
import type { Tone } from '../components/status-badge.tsx';
import { toneOf } from '../domain/number-status.ts';
import { isSlow } from '../domain/queue.ts';
import { webhookState } from '../domain/webhook-status.ts';
import { useRefreshMs } from '../live/live.tsx';
import { present } from '../router/search.ts';
import type { NavigationEntry } from './navigation.ts';

export interface Attention {
  readonly count: number;
  readonly tone: Extract<Tone, 'bad' | 'act'>;
}

type Attentions = Partial<Record<NavigationEntry['name'], Attention>>;

/**
 * The count of what needs a person, by page: numbers, webhooks, and messages that have waited for too long. From the read of the
 * page Now, whose cost does not grow with the history. Empty until it is read, or if it cannot be.
 */
export function useAttention(workspaceId: string | null): Attentions {
  const refetchInterval = useRefreshMs();
  const { data, dataUpdatedAt } = useQuery({
    ...overviewQuery(workspaceId ?? ''),
    enabled: workspaceId !== null,
    refetchInterval,
  });
  return data === undefined || workspaceId === null ? {} : attentionIn(data, dataUpdatedAt);
}

function attentionIn({ numbers, webhooks, queues }: OverviewResource, now: number): Attentions {
  const tones = (numbers ?? []).map(toneOf);
  const states = (webhooks ?? []).map(webhookState);
  const count = <Value>(values: readonly Value[], wanted: Value): number =>
    values.filter((value) => value === wanted).length;
  const slow = (queues ?? []).filter((queue) => isSlow(queue, now));
  return present({
    numbers: attention(count(tones, 'bad'), count(tones, 'act')),
    messages: attention(
      0,
      slow.reduce((sum, { queued }) => sum + queued, 0),
    ),
    webhooks: attention(count(states, 'disabled'), count(states, 'failing')),
  });
}

function attention(bad: number, act: number): Attention | undefined {
  return bad + act === 0 ? undefined : { count: bad + act, tone: bad > 0 ? 'bad' : 'act' };
}
