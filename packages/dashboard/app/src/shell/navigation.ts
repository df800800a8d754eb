import type { IconName } from '../components/icon.tsx';
import type { SessionResource } from '../../../src/schemas/session.ts';

export interface NavigationEntry {
  /** The entry's key among the texts of `shell`. */
  readonly name:
    | 'now'
    | 'numbers'
    | 'messages'
    | 'chats'
    | 'events'
    | 'webhooks'
    | 'keys'
    | 'members'
    | 'workspaces'
    | 'system';
  readonly icon: IconName;
  readonly to: string;
  /** Pages of this entry whose path is not below `to`. */
  readonly also?: string;
  /** The key to press after `g`. */
  readonly letter: string;
  readonly scope?: SessionResource['scopes'][number];
  readonly alsoScope?: SessionResource['scopes'][number];
  /** Whether the page is about the whole service: hidden from sessions that are bound to a workspace. */
  readonly isGlobal?: boolean;
  /** Whether the page administers a workspace: hidden from sessions that are bound to one. */
  readonly isAdministration?: boolean;
}

/** In the order of the sidebar. Entries below `/w/$workspace` are about a workspace. */
export const NAVIGATION: readonly NavigationEntry[] = [
  { name: 'now', icon: 'now', to: '/w/$workspace', letter: 'n' },
  { name: 'numbers', icon: 'number', to: '/w/$workspace/numbers', letter: 'u', scope: 'instances:read' },
  {
    name: 'messages',
    icon: 'message',
    to: '/w/$workspace/messages',
    also: '/w/$workspace/scheduled',
    letter: 'm',
    scope: 'messages:read',
  },
  { name: 'chats', icon: 'chat', to: '/w/$workspace/chats', letter: 'c', scope: 'messages:read' },
  {
    name: 'events',
    icon: 'event',
    to: '/w/$workspace/events',
    letter: 'e',
    scope: 'messages:read',
    alsoScope: 'instances:read',
  },
  {
    name: 'webhooks',
    icon: 'webhook',
    to: '/w/$workspace/webhooks',
    also: '/w/$workspace/deliveries/$delivery',
    letter: 'h',
    scope: 'webhooks:read',
  },
  { name: 'keys', icon: 'key', to: '/w/$workspace/keys', letter: 'k', isAdministration: true },
  { name: 'members', icon: 'member', to: '/w/$workspace/members', letter: 'p', isAdministration: true },
  { name: 'workspaces', icon: 'workspace', to: '/workspaces', letter: 'w', isGlobal: true },
  { name: 'system', icon: 'server', to: '/system', letter: 's', isGlobal: true },
];
