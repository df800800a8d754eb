import type { ReactNode } from 'react';
import type { KeyResource } from '../../../../src/schemas/admin.ts';
import { useTexts } from '../../texts/language.tsx';

type Scope = KeyResource['scopes'][number];

export const SCOPES = [
  'instances:read',
  'instances:write',
  'messages:read',
  'messages:send',
  'webhooks:read',
  'webhooks:write',
] as const satisfies readonly Scope[];

export const READ_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope.endsWith(':read'));

/** A short text for no scopes, all scopes or all read scopes; otherwise the scopes' API names. */
export function Scopes({ scopes }: { readonly scopes: readonly Scope[] }): ReactNode {
  const t = useTexts('keys');
  const has = (wanted: readonly Scope[]): boolean =>
    wanted.length === scopes.length && wanted.every((scope) => scopes.includes(scope));
  if (has([])) return t.nothing;
  if (has(SCOPES)) return t.everything;
  if (has(READ_SCOPES)) return t.readOnly;
  return <code title={scopes.map((scope) => t.scopes[scope]).join('\n')}>{scopes.join(' ')}</code>;
}
