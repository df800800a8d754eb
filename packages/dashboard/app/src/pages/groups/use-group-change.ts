import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { UseMutationResult } from '@tanstack/react-query';
import { keyOf } from '../../api/keys.ts';
import { useToasts } from '../../components/toasts.tsx';

/** Makes a change of a group, says what was done, and reads the groups again, whether the change succeeds or not. */
export function useGroupChange<Input, Result>(
  workspaceId: string,
  {
    act,
    words,
    onDone,
  }: {
    readonly act: (input: Input) => Promise<Result>;
    /** A sentence about the result; null says nothing. */
    readonly words: (result: Result) => string | null;
    readonly onDone?: (result: Result) => void;
  },
): UseMutationResult<Result, Error, Input> {
  const { say } = useToasts();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess(result) {
      const said = words(result);
      if (said !== null) say(said);
      onDone?.(result);
    },
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: keyOf(workspaceId, 'groups') }),
        queries.invalidateQueries({ queryKey: keyOf(workspaceId, 'numbers', 'groups') }),
      ]),
  });
}
