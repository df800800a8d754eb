import type { RemoteApi } from './remote-api.ts';

/** How a call of the client becomes a request, and the response a result. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The path; the id of the call replaces `{…}`. */
  readonly path: string;
  /** The part of the request that the input of the call becomes, if it takes one. */
  readonly input?: 'json' | 'query';
  /** The fields of the result next to `data`, by their names in the `meta` of the response. */
  readonly facts?: Readonly<Record<string, string>>;
}

/** Every operation, where `RemoteApi` has it. */
export type Operations = {
  readonly [Group in keyof RemoteApi]: Readonly<Record<keyof RemoteApi[Group], Operation>>;
};
