import type { MessageCalls } from './messages.ts';
import type { RemoteApi } from './remote-api.ts';
import type { WebhookCalls } from './webhooks.ts';

/**
 * The REST API of a workspace from afar, grouped as `WorkspaceApi` of `@trunkline/core` is. Every call resolves with a
 * result; the iterators alone throw (`ClientError`).
 */
export type TrunklineClient = {
  readonly [Group in keyof RemoteApi]: Group extends keyof OwnCalls
    ? Omit<RemoteApi[Group], keyof OwnCalls[Group]> & OwnCalls[Group]
    : RemoteApi[Group];
};

/** What takes the place of an operation, or stands beside it. */
interface OwnCalls {
  readonly messages: MessageCalls;
  readonly webhooks: WebhookCalls;
}
