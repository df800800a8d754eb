import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Loaded } from './loaded.tsx';
import { Page } from './page.tsx';

/** A page about one thing. While that loads, or if it is missing, a page with a link back to the list. */
export function LoadedPage<Data>({
  query,
  title,
  above,
  children,
}: {
  readonly query: UseQueryResult<Data>;
  /** The title until the thing is loaded. */
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
