import type { ReactNode } from 'react';
import { Button } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { useTexts } from '../texts/language.tsx';

/** A page that threw, or whose files were removed by an update of the service, which a reload fixes. */
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
