import { Suspense, useState } from 'react';
import type { ReactNode } from 'react';

/**
 * What opens, from the first time that it does: its code is a file of its own. Afterwards it stays, so that it can close by
 * itself.
 */
export function WhenOpened({
  isOpen,
  children,
}: {
  readonly isOpen: boolean;
  readonly children: ReactNode;
}): ReactNode {
  const [wasOpened, setWasOpened] = useState(isOpen);
  if (isOpen && !wasOpened) setWasOpened(true);
  return wasOpened && <Suspense>{children}</Suspense>;
}
