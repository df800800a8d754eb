import type { ReactNode } from 'react';
import { Button } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { useTexts } from '../texts/language.tsx';

/** Shown if a page throws, or if an update of the service has removed the page's files. A reload fixes the latter. */
export function PageFailure({ error }: { readonly error: unknown }): ReactNode {
  const t = useTexts('common');
  return (
    <div role="alert">
      <EmptyState title={t.pageFailed} action={<Button onClick={() => location.reload()}>{t.reload}</Button>}>
        <code>{String(error)}</code>
      </EmptyState>
    </div>
  );
}
