import { lazy, Suspense } from 'react';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/language.tsx';
import type { JsonViewProps } from './json-view.tsx';

const JsonView = lazy(async () => ({ default: (await import('./json-view.tsx')).JsonView }));

/** Shows JSON in colours, foldable. Its code and texts are fetched when the first is shown. */
export function Json(props: JsonViewProps): ReactNode {
  const { loading } = useTexts('common');
  return (
    <Suspense fallback={<p>{loading}</p>}>
      <JsonView {...props} />
    </Suspense>
  );
}
