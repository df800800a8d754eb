import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Loaded } from './loaded.tsx';
import { Page } from './page.tsx';

/**
 * A page about one object. Until the object is loaded, or if that fails, shows `title` and the links `above`;
 * `children` renders the whole page afterwards.
 */
export function LoadedPage<Data>({
  query,
  title,
  above,
  children,
}: {
  readonly query: UseQueryResult<Data>;
  /** The title until the object is loaded. */
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
