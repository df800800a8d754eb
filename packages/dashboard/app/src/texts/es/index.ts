import type { TextFiles } from '../texts.ts';

export const ES: TextFiles = {
  chats: async () => (await import('./chats.ts')).chats,
  common: async () => (await import('./common.ts')).common,
  events: async () => (await import('./events.ts')).events,
  groups: async () => (await import('./groups.ts')).groups,
  json: async () => (await import('./json.ts')).json,
  keys: async () => (await import('./keys.ts')).keys,
  members: async () => (await import('./members.ts')).members,
  messages: async () => (await import('./messages.ts')).messages,
  now: async () => (await import('./now.ts')).now,
  numbers: async () => (await import('./numbers.ts')).numbers,
  search: async () => (await import('./search.ts')).search,
  shell: async () => (await import('./shell.ts')).shell,
  signIn: async () => (await import('./sign-in.ts')).signIn,
  system: async () => (await import('./system.ts')).system,
  webhooks: async () => (await import('./webhooks.ts')).webhooks,
  workspaces: async () => (await import('./workspaces.ts')).workspaces,
};
