import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { forgetChoice, keepChoice, keptText } from './kept-choice.ts';
import { useSession } from './session-context.ts';

const NAME = 'workspace';

/**
 * The id of the current workspace: from the address, else from the session, else the one last shown in this tab, else
 * null.
 */
export function useCurrentWorkspace(): string | null {
  const { workspace: inUrl } = useParams({ strict: false });
  const { workspace: bound } = useSession();
  useEffect(() => {
    if (inUrl !== undefined) keepChoice(NAME, inUrl);
  }, [inUrl]);
  return inUrl ?? bound?.id ?? keptText(NAME);
}

/** Forgets the workspace last shown, so that it does not affect the next session. */
export function forgetCurrentWorkspace(): void {
  forgetChoice(NAME);
}
