import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Loaded } from './loaded.tsx';
import { Page } from './page.tsx';

/**
 * A page about one object. Shows `title` and the links `above` until the object is loaded; then `children` renders the
 * whole page.
 */
export function LoadedPage<Data>({
  query,
  title,
  above,
  children,
}: {
  readonly query: UseQueryResult<Data>;
  readonly title: string;
  readonly above: ReactNode;
  readonly children: (data: Data) => ReactNode;
}): ReactNode {
  const loaded = <Loaded query={query}>{children}</Loaded>;
  if (query.data !== undefined) return loaded;
  return (
    <Page title={title} above={above}>
      {loaded}
    </Page>
  );
}
