import type { RemoteApi } from './remote-api.ts';

/** How a call of the client becomes a request, and its response a result. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With the id of the call in the place of `{…}`. */
  readonly path: string;
  /** What the input of the call becomes, if it takes one. */
  readonly input?: 'json' | 'query';
  /** What the result has beside `data`, by the names in the `meta` of the response. */
  readonly facts?: Readonly<Record<string, string>>;
}

/** Every operation, where `RemoteApi` has it. */
export type Operations = {
  readonly [Group in keyof RemoteApi]: Readonly<Record<keyof RemoteApi[Group], Operation>>;
};
