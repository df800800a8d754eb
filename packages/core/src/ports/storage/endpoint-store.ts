import type { CancellationReason } from '../../domain/delivery/delivery.ts';
import type { Endpoint, FailureRecord } from '../../domain/endpoint/endpoint.ts';

/** An email that is owed to somebody; kept until it is accepted. */
export interface OwedNotification {
  readonly id: string;
  readonly workspaceId: string;
  /** The endpoint's id, as the email calls it: stored in this form. */
  readonly webhookId: string;
  readonly kind: 'webhook_failing' | 'webhook_disabled';
  readonly url: string;
  readonly failingSince: number;
  readonly createdAt: number;
}

/** A change of an endpoint's settings, written only if nothing has changed since it was decided. */
export interface EndpointWrite {
  /** As it is to be; `version` is the one it was decided on, and is raised by the write. Of its health, at most the failure record is written, and only where `health` says so. */
  readonly endpoint: Endpoint;
  /**
   * If given, the failure record of `endpoint.health` is written too, and only while the stored one still fails since
   * the same time and was warned at the same time. `lastDelivery` and `lastSuccessAt` are written by completions alone:
   * one that came since the decision is kept.
   */
  readonly health?: Pick<FailureRecord, 'failingSince' | 'warnedAt'>;
  /**
   * Where given, ends every open delivery of the endpoint as `failed` with this reason, without touching their rows:
   * from now on they read as failed and are never claimed. `sweepClosed` writes it down later.
   */
  readonly close?: CancellationReason;
  readonly notification?: OwedNotification;
  /**
   * Where given, nothing is written when this many other endpoints of the workspace are enabled: in this transaction, so
   * that two that are enabled concurrently cannot both pass.
   */
  readonly enabledLimit?: number;
}

export interface EndpointStore {
  /** Inserts unless the workspace has `limit` endpoints; one transaction. */
  insert(endpoint: Endpoint, limit: number): Promise<'inserted' | 'limit_reached'>;
  find(workspaceId: string, id: string): Promise<Endpoint | null>;
  /** Newest first. */
  list(workspaceId: string): Promise<readonly Endpoint[]>;
  write(write: EndpointWrite): Promise<'written' | 'stale' | 'limit_reached'>;
  /** Removes the endpoint and closes its open deliveries as ENDPOINT_DELETED. Its deliveries stay readable until retention. */
  delete(workspaceId: string, id: string): Promise<boolean>;

  /** Enabled endpoints that have failed without a break since `before` or earlier, with an exhausted delivery; after the id given, in id order. */
  listFailing(query: {
    readonly before: number;
    readonly after: string | null;
    readonly limit: number;
  }): Promise<readonly Endpoint[]>;

  /**
   * Takes emails that are owed, oldest first (by id); each comes again `leaseMs` later unless it is completed, or
   * before where that lies too far ahead (`latestLeaseEnd`). They outlive their endpoint.
   */
  claimNotifications(claim: {
    readonly now: number;
    readonly leaseMs: number;
    readonly limit: number;
  }): Promise<readonly OwedNotification[]>;
  completeNotification(id: string): Promise<void>;
}
