import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { forgetChoice, keepChoice, keptText } from './kept-choice.ts';
import { useSession } from './session-context.ts';

const NAME = 'workspace';

/**
 * The workspace that the pages are about: the one of the address, the only one of the session, or the last one that this tab
 * has shown; null before there is one.
 */
export function useCurrentWorkspace(): string | null {
  const { workspace: inUrl } = useParams({ strict: false });
  const { workspace: bound } = useSession();
  useEffect(() => {
    if (inUrl !== undefined) keepChoice(NAME, inUrl);
  }, [inUrl]);
  return inUrl ?? bound?.id ?? keptText(NAME);
}

/** The next session starts without a workspace. */
export function forgetCurrentWorkspace(): void {
  forgetChoice(NAME);
}
