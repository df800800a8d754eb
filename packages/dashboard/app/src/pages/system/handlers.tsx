import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { SubscriptionResource } from '../../../../src/schemas/admin.ts';
import { request } from '../../api/request.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorView } from '../../components/error-view.tsx';
import { Panel } from '../../components/panel.tsx';
import { Table } from '../../components/table.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { useIsAdmin } from '../../shell/session-context.ts';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { HANDLERS_KEY } from './queries.ts';
import styles from './system.module.css';

/** The service stops counting events at this number. */
const COUNTED_TO = 1_000;

export function Handlers({ handlers }: { readonly handlers: readonly SubscriptionResource[] }): ReactNode {
  const t = useTexts('system');
  const { locale } = useLanguage();
  const isAdmin = useIsAdmin();
  const number = new Intl.NumberFormat(locale);
  const count = (value: number): string => `${number.format(value)}${value >= COUNTED_TO ? '+' : ''}`;
  return (
    <Panel title={t.handlers} isFlush>
      {handlers.length === 0 ? (
        <EmptyState icon="server" title={t.noHandlers}>
          {t.noHandlersHint}
        </EmptyState>
      ) : (
        <Table
          caption={t.handlersCaption}
          rows={handlers}
          keyOf={({ name }) => name}
          columns={[
            { key: 'handler', title: t.handler, cell: ({ name }) => <code>{name}</code> },
            { key: 'types', title: t.types, cell: ({ types }) => types.join(', ') },
            { key: 'waiting', title: t.waits, isNumeric: true, cell: ({ waiting }) => count(waiting) },
            {
              key: 'exhausted',
              title: t.exhausted,
              isNumeric: true,
              cell: ({ exhausted }) => count(exhausted),
            },
            ...(isAdmin
              ? [
                  {
                    key: 'actions',
                    title: t.retry,
                    isAction: true,
                    cell: (handler: SubscriptionResource) => <Actions handler={handler} />,
                  },
                ]
              : []),
          ]}
        />
      )}
    </Panel>
  );
}

function Actions({ handler: { name, exhausted } }: { readonly handler: SubscriptionResource }): ReactNode {
  const t = useTexts('system');
  const { say } = useToasts();
  const queries = useQueryClient();
  const [isDeleting, setDeleting] = useState(false);
  const path = `admin/subscriptions/${encodeURIComponent(name)}`;
  const readAgain = (): void => void queries.invalidateQueries({ queryKey: HANDLERS_KEY });
  const retry = useMutation({
    mutationFn: () => retryAll(path),
    onSuccess(requeued) {
      say(t.retried(requeued));
      readAgain();
    },
  });
  return (
    <span className={styles['actions']}>
      {exhausted > 0 && (
        <Button aria-label={t.retryOne(name)} isBusy={retry.isPending} onClick={() => retry.mutate()}>
          {t.retry}
        </Button>
      )}
      <Button kind="risky" icon="remove" aria-label={t.removeOne(name)} onClick={() => setDeleting(true)}>
        {t.remove}
      </Button>
      {retry.error !== null && <ErrorView error={retry.error} />}
      <Confirm
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        title={t.removeTitle(name)}
        verb={t.remove}
        typed={name}
        act={() => request(path, { method: 'DELETE' })}
        onDone={() => {
          say(t.removed);
          readAgain();
        }}
      >
        {t.removeText}
      </Confirm>
    </span>
  );
}

/** Retries all failed events in batches. Stops if a batch retries none. Returns how many were retried. */
async function retryAll(path: string): Promise<number> {
  let requeued = 0;
  for (;;) {
    const batch = await request<{ readonly requeued: number; readonly remaining: number }>(
      `${path}/retry-failed`,
      { method: 'POST' },
    );
    requeued += batch.requeued;
    if (batch.remaining === 0 || batch.requeued === 0) return requeued;
  }
}
