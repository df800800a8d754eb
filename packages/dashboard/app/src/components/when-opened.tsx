import { Suspense, useState } from 'react';
import type { ReactNode } from 'react';

/**
 * Renders its children from the first time that they open: their code is a file of its own. Afterwards they stay, so
 * that they can close on their own.
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
