import type { ClientSettings } from '../client-settings.ts';

export interface Call {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

/** The replies: first the settings for clients, then a response for each call. */
export type Reply =
  | { readonly started: ClientSettings }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string };
