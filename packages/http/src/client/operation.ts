import type { RemoteApi } from './remote-api.ts';

/** Maps a call of the client to a request, and the response to a result. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path, in which the id of the call replaces `{…}`. */
  readonly path: string;
  /** The part of the request that carries the call's input; omitted if the call has no input. */
  readonly input?: 'json' | 'query';
  /** The fields of the result next to `data`, each with its name in the `meta` of the response. */
  readonly facts?: Readonly<Record<string, string>>;
}

export type Operations = {
  readonly [Group in keyof RemoteApi]: Readonly<Record<keyof RemoteApi[Group], Operation>>;
};
