import { queryOptions, useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { unwrap } from '@trunkline/http/client';
import type { MessageResource } from '@trunkline/http/client';
import { useEffect, useState } from 'react';
import { clientOf } from '../api/client.ts';
import { keyOf } from '../api/keys.ts';
import { numbersQuery, webhooksQuery } from '../api/lists.ts';
import { counterpartName } from '../domain/message-status.ts';
import { phoneText } from '../domain/phone-text.ts';
import { webhookName } from '../domain/webhook-status.ts';
import { useTexts } from '../texts/language.tsx';
import { useEntries } from './entries.ts';
import { hasWords, peopleIn, targetOfId, targetOfMessages } from './search-target.ts';
import type { SearchTarget } from './search-target.ts';
import { useMay } from './session-context.ts';

/** The service is asked once nothing was typed for this long. */
const REST_MS = 200;
const SHORTEST = 2;
const FOUND_MAX = 6;
const SHOWN_MAX = 5;

const foundQuery = (workspaceId: string, q: string) =>
  queryOptions({
    // The words are a part of the key, so a late response never replaces that of newer words.
    queryKey: keyOf(workspaceId, 'messages', 'found', q),
    queryFn: async ({ signal }) => {
      const query = { q, origin: 'any', limit: FOUND_MAX } as const;
      return unwrap(await clientOf(workspaceId).messages.list(query, { signal })).data;
    },
  });

interface Found {
  readonly targets: readonly SearchTarget[];
  /** The read of messages: its errors are shown where its results would be. */
  readonly messages: UseQueryResult<readonly MessageResource[]>;
  readonly isSearching: boolean;
}

/** The places for a text: without one, the pages. Those that the service finds are last, so that no other moves. */
export function useSearchTargets(workspaceId: string | null, text: string): Found {
  const t = useTexts('shell');
  const words = useTexts('search');
  const entries = useEntries(workspaceId);
  const workspace = workspaceId ?? '';
  const wanted = text.trim();
  const rested = useRested(wanted);
  const mayRead = useMay('messages:read');
  const isWords = /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(rested) && rested.length >= SHORTEST;
  const isAsked = workspaceId !== null && mayRead;
  const targetId = isAsked ? targetOfId(workspace, wanted) : null;
  const messages = useQuery({
    ...foundQuery(workspace, rested),
    enabled: isAsked && isWords && targetId === null,
  });
  const numbers = useQuery({
    ...numbersQuery(workspace),
    enabled: useMay('instances:read') && workspaceId !== null,
  });
  const webhooks = useQuery({
    ...webhooksQuery(workspace),
    enabled: useMay('webhooks:read') && workspaceId !== null,
  });

  const pages = entries
    .filter(({ name }) => wanted === '' || hasWords(t[name], wanted))
    .map(({ name, icon, to, params }): SearchTarget => ({
      key: `page ${name}`,
      group: 'pages',
      icon,
      label: t[name],
      to,
      params,
    }));
  const targets = [...(targetId ? [targetId] : []), ...pages];
  if (wanted !== '' && targetId === null && workspaceId !== null) {
    targets.push(
      ...numberTargets(workspace, numbers.data ?? [], wanted),
      ...webhookTargets(workspace, webhooks.data?.data ?? [], wanted),
    );
    if (mayRead) {
      targets.push(targetOfMessages(workspace, wanted, words.allMessages(wanted)));
      // Results for other words than those in the field are not shown.
      const found = rested === wanted && isWords ? (messages.data ?? []) : [];
      targets.push(...peopleIn(workspace, found, wanted), ...messageTargets(workspace, found, words.noText));
    }
  }
  return {
    targets,
    messages,
    isSearching: wanted !== rested || messages.isFetching,
  };
}

function useRested(text: string): string {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), REST_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
}

function numberTargets(
  workspace: string,
  numbers: readonly { readonly id: string; readonly name: string; readonly phone_number: string | null }[],
  wanted: string,
): readonly SearchTarget[] {
  const digits = wanted.replace(/[\s+().-]/g, '');
  const isDigits = /^\d+$/.test(digits);
  return numbers
    .filter(
      ({ name, phone_number }) =>
        hasWords(name, wanted) || (isDigits && (phone_number?.includes(digits) ?? false)),
    )
    .slice(0, SHOWN_MAX)
    .map(({ id, name, phone_number }) => ({
      key: id,
      group: 'numbers',
      icon: 'number',
      label: name,
      detail: phone_number === null ? undefined : phoneText(phone_number),
      to: '/w/$workspace/numbers/$instance',
      params: { workspace, instance: id },
    }));
}

function webhookTargets(
  workspace: string,
  webhooks: readonly { readonly id: string; readonly url: string; readonly description: string | null }[],
  wanted: string,
): readonly SearchTarget[] {
  return webhooks
    .filter(({ url, description }) => hasWords(`${description ?? ''} ${url}`, wanted))
    .slice(0, SHOWN_MAX)
    .map((webhook) => ({
      key: webhook.id,
      group: 'webhooks',
      icon: 'webhook',
      label: webhookName(webhook),
      to: '/w/$workspace/webhooks/$webhook',
      params: { workspace, webhook: webhook.id },
    }));
}

function messageTargets(
  workspace: string,
  messages: readonly MessageResource[],
  noText: string,
): readonly SearchTarget[] {
  return messages.map((message) => ({
    key: message.id,
    group: 'messages',
    icon: 'message',
    label: message.text || message.caption || message.media?.filename || noText,
    detail: counterpartName(message) ?? undefined,
    to: '/w/$workspace/messages/$message',
    params: { workspace, message: message.id },
  }));
}
