import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Loaded } from './loaded.tsx';
import { Page } from './page.tsx';

/** A page about one thing: until that is read, and where it is not there, a page with the way back to all of them. */
export function LoadedPage<Data>({
  query,
  title,
  above,
  children,
}: {
  readonly query: UseQueryResult<Data>;
  /** While there is nothing to name the page by. */
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
