import type { SessionResource } from '../../../src/schemas/session.ts';

/** An entry of the sidebar. */
export interface NavigationEntry {
  /** The key of its text: `texts.shell[name]`. */
  readonly name:
    'now' | 'numbers' | 'messages' | 'chats' | 'webhooks' | 'keys' | 'members' | 'workspaces' | 'system';
  readonly to: string;
  /** Pages that belong to it without being below it. */
  readonly also?: string;
  /** The key to press after `g`. */
  readonly letter: string;
  /** The scope that it needs. */
  readonly scope?: SessionResource['scopes'][number];
  /** Whether it is about the whole service: only for sessions that are not bound to a workspace. */
  readonly isGlobal?: boolean;
  /** Whether it is about one workspace, and also only for such a session. */
  readonly isAdministration?: boolean;
}

/** The entries in the order of the sidebar. Those below `/w/$workspace` are about a workspace. */
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
