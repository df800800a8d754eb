import type { ApiKeyResource, WorkspaceApi } from '@trunkline/core';
import type { CallResult } from './call-result.ts';

/** Every operation of the API as a remote call: the operations of `WorkspaceApi`, and `apiKey.get`. */
export interface RemoteApi extends RemoteWorkspace {
  /** The API key that the client uses. */
  readonly apiKey: {
    /** The workspace and the scopes of the key. */
    get(options?: CallOptions): Promise<
      CallResult<{
        /** The key, without its value. */
        readonly data: ApiKeyResource;
      }>
    >;
  };
}

type RemoteWorkspace = {
  // An upload is part of a send, and `deleteForEveryone` shares the request of `cancel` (`MessageCalls`).
  readonly [Group in keyof WorkspaceApi]: {
    readonly [Name in keyof WorkspaceApi[Group] as Exclude<Name, 'upload' | 'deleteForEveryone'>]: Remote<
      WorkspaceApi[Group][Name]
    >;
  };
};

/** An operation as a call: it also takes options, and resolves with a `CallResult`. */
type Remote<Operation> = Operation extends (...args: infer Arguments) => Promise<infer Value>
  ? (...args: [...Arguments, options?: CallOptions]) => Promise<CallResult<Returned<Value>>>
  : never;

/** A list already has `data`, so it is the result. Any other value becomes the `data` of a result. */
type Returned<Value> = [Value] extends [{ readonly data: readonly unknown[] }]
  ? Value
  : {
      /** The value that the in-process operation resolves with. */
      readonly data: [Value] extends [void] ? undefined : Value;
    };

/** The options of every call. */
export interface CallOptions {
  /** Aborts the call and its waits for retries, with the code ABORTED. Example: `AbortSignal.timeout(10_000)`. */
  readonly signal?: AbortSignal | undefined;
}
