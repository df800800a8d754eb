import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { forgetChoice, keepChoice, keptText } from './kept-choice.ts';
import { useSession } from './session-context.ts';

const NAME = 'workspace';

/**
 * The workspace that the pages are about: that of the address, that of the session, or the workspace last shown in this
 * tab; null before any was shown.
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
