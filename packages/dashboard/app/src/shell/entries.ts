import { NAVIGATION } from './navigation.ts';
import type { NavigationEntry } from './navigation.ts';
import { useSession } from './session-context.ts';

interface Entry extends NavigationEntry {
  readonly params: Readonly<Record<string, string>>;
}

/** The pages that this session may see. */
export function useEntries(workspaceId: string | null): readonly Entry[] {
  const { scopes, workspace } = useSession();
  return NAVIGATION.flatMap((entry): readonly Entry[] => {
    const { scope, alsoScope, isGlobal = false, isAdministration = isGlobal } = entry;
    if (scope !== undefined && !scopes.includes(scope)) return [];
    if (alsoScope !== undefined && !scopes.includes(alsoScope)) return [];
    if (isAdministration && workspace !== null) return [];
    if (isGlobal) return [{ ...entry, params: {} }];
    return workspaceId === null ? [] : [{ ...entry, params: { workspace: workspaceId } }];
  });
}
