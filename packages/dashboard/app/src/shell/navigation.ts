import type { SessionResource } from '../../../src/schemas/session.ts';

export interface NavigationEntry {
  /** The entry's key among the texts of `shell`. */
  readonly name:
    'now' | 'numbers' | 'messages' | 'chats' | 'webhooks' | 'keys' | 'members' | 'workspaces' | 'system';
  readonly to: string;
  /** Pages of this entry whose path is not below `to`. */
  readonly also?: string;
  /** The key to press after `g`. */
  readonly letter: string;
  readonly scope?: SessionResource['scopes'][number];
  /** Whether the page is about the whole service: hidden from sessions that are bound to a workspace. */
  readonly isGlobal?: boolean;
  /** Whether the page administers a workspace: hidden from sessions that are bound to one. */
  readonly isAdministration?: boolean;
}

/** In the order of the sidebar. Entries below `/w/$workspace` are about a workspace. */
export const NAVIGATION: readonly NavigationEntry[] = [
  { name: 'now', to: '/w/$workspace', letter: 'n' },
  { name: 'numbers', to: '/w/$workspace/numbers', letter: 'u', scope: 'instances:read' },
  {
    name: 'messages',
    to: '/w/$workspace/messages',
    also: '/w/$workspace/scheduled',
    letter: 'm',
    scope: 'messages:read',
  },
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
