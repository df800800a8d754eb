import type { SessionResource } from '../../../src/schemas/session.ts';

/** An entry of the sidebar. */
export interface NavigationEntry {
  /** Its word: `texts.shell[name]`. */
  readonly name:
    'now' | 'numbers' | 'messages' | 'chats' | 'webhooks' | 'keys' | 'members' | 'workspaces' | 'system';
  readonly to: string;
  /** Pages that belong to it, and are not below it. */
  readonly also?: string;
  /** After `g`. */
  readonly letter: string;
  /** Only with this scope. */
  readonly scope?: SessionResource['scopes'][number];
  /** Of the whole service: for a session that is not bound to a workspace. */
  readonly isGlobal?: boolean;
  /** For such a session as well, and about one workspace. */
  readonly isAdministration?: boolean;
}

/** In the order of the sidebar. Below `/w/$workspace` is what a workspace has. */
export const NAVIGATION: readonly NavigationEntry[] = [
  { name: 'now', to: '/w/$workspace', letter: 'n' },
  { name: 'numbers', to: '/w/$workspace/numbers', letter: 'u', scope: 'instances:read' },
  { name: 'messages', to: '/w/$workspace/messages', letter: 'm', scope: 'messages:read' },
  { name: 'chats', to: '/w/$workspace/chats', letter: 'c', scope: 'messages:read' },
  {
    name: 'webhooks',
    to: '/w/$workspace/webhooks',
    also: '/w/$workspace/deliveries/$delivery',
    letter: 'h',
    scope: 'webhooks:read',
  },
  { name: 'keys', to: '/w/$workspace/keys', letter: 'k', isAdministration: true },
  { name: 'members', to: '/w/$workspace/members', letter: 'e', isAdministration: true },
  { name: 'workspaces', to: '/workspaces', letter: 'w', isGlobal: true },
  { name: 'system', to: '/system', letter: 's', isGlobal: true },
];
