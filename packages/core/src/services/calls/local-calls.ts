import type { CallResponse, InstanceCall } from '../../domain/instance/instance-call.ts';

/** Null if this process has no open connection of the instance. */
type CallServer = (instanceId: string, call: InstanceCall) => Promise<CallResponse> | null;

/** Passes calls to the connections that this process holds, without the storage. */
export interface LocalCalls {
  readonly call: CallServer;
  /** Lets `server` carry out calls from now on. Returns a function that ends that. */
  serve(server: CallServer): () => void;
}

export function createLocalCalls(): LocalCalls {
  let current: CallServer | null = null;
  return {
    call: (instanceId, call) => current?.(instanceId, call) ?? null,
    serve(server) {
      current = server;
      return () => {
        if (current === server) current = null;
      };
    },
  };
}
