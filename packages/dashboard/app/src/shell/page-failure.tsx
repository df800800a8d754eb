import type { ReactNode } from 'react';
import { Button } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { useTexts } from '../texts/language.tsx';

/** Shown if a page throws. An update of the service may have removed the page's files, which a reload fixes. */
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
