import type { CancellationReason } from '../../domain/delivery/delivery.ts';
import type { Endpoint, FailureRecord } from '../../domain/endpoint/endpoint.ts';
import type { NotificationClaim, OwedNotification } from './owed-notification.ts';

/** A change of an endpoint's settings, written only if nothing has changed since it was decided. */
export interface EndpointWrite {
  /**
   * The new state of the endpoint. Its `version` is the version that the decision was based on, and the write raises
   * it. The write leaves its health as stored, except for the failure record if `health` is present.
   */
  readonly endpoint: Endpoint;
  /**
   * If present, the failure record of `endpoint.health` is written too, but only if the stored record still has this
   * `failingSince` and `warnedAt`. Only completions write `lastSuccessAt` and, unless `close` ends it, `lastDelivery`, so a
   * completion since the decision is kept.
   */
  readonly health?: Pick<FailureRecord, 'failingSince' | 'warnedAt'>;
  /**
   * If present, every open delivery of the endpoint ends as `failed` with this reason, and so does an open
   * `lastDelivery` (`healthWhenClosed`). The rows of the deliveries are not written: from now on, the deliveries read
   * as failed and are never claimed, and `sweepClosed` updates their rows later.
   */
  readonly close?: CancellationReason;
  readonly notification?: OwedNotification;
  /**
   * If present, nothing is written if this many other endpoints of the workspace are enabled. The check is in this
   * transaction, so that two endpoints that are enabled concurrently cannot both pass.
   */
  readonly enabledLimit?: number;
}

export interface EndpointStore {
  /** Inserts the endpoint unless the workspace has `limit` endpoints, in one transaction. */
  insert(endpoint: Endpoint, limit: number): Promise<'inserted' | 'limit_reached'>;
  find(workspaceId: string, id: string): Promise<Endpoint | null>;
  /** Newest first. */
  list(workspaceId: string): Promise<readonly Endpoint[]>;
  write(write: EndpointWrite): Promise<'written' | 'stale' | 'limit_reached'>;
  /**
   * Removes the endpoint and cancels its open deliveries as ENDPOINT_DELETED. Its deliveries can be read until
   * retention deletes them, with the URL that the endpoint had. Returns false if the workspace has no such endpoint.
   */
  delete(workspaceId: string, id: string, now: number): Promise<boolean>;

  /**
   * Enabled endpoints after this id, in id order, that have failed without a success since `before` or earlier, and
   * have given up a delivery in that time. Leaves out postponed workspaces.
   */
  listFailing(query: {
    readonly before: number;
    readonly after: string | null;
    readonly limit: number;
  }): Promise<readonly Endpoint[]>;

  /**
   * Claims owed emails, oldest first (by id). An email can be claimed again `leaseMs` later unless it is completed, or
   * earlier if that time is too far ahead (`latestLeaseEnd`). Emails stay when their endpoint is deleted.
   */
  claimNotifications(claim: NotificationClaim): Promise<readonly OwedNotification[]>;
  completeNotification(id: string): Promise<void>;
}
