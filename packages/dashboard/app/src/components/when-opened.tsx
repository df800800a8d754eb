import { Suspense, useState } from 'react';
import type { ReactNode } from 'react';

/**
 * Renders its children once they are first opened: their code is a separate file. Afterwards they stay, so that they
 * can close on their own.
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
