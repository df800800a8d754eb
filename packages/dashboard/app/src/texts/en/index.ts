import { common } from './common.ts';
import { shell } from './shell.ts';

/**
 * One entry and one file per area. The texts of the frame are in the initial code; others are fetched with the first
 * page that names their area in `routes.ts`.
 */
export const EN = {
  chats: async () => (await import('./chats.ts')).chats,
  common: async () => common,
  events: async () => (await import('./events.ts')).events,
  groups: async () => (await import('./groups.ts')).groups,
  json: async () => (await import('./json.ts')).json,
  keys: async () => (await import('./keys.ts')).keys,
  members: async () => (await import('./members.ts')).members,
  messages: async () => (await import('./messages.ts')).messages,
  now: async () => (await import('./now.ts')).now,
  numbers: async () => (await import('./numbers.ts')).numbers,
  search: async () => (await import('./search.ts')).search,
  shell: async () => shell,
  signIn: async () => (await import('./sign-in.ts')).signIn,
  system: async () => (await import('./system.ts')).system,
  webhooks: async () => (await import('./webhooks.ts')).webhooks,
  workspaces: async () => (await import('./workspaces.ts')).workspaces,
};
