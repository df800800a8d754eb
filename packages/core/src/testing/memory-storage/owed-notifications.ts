import { latestLeaseEnd } from '../../domain/too-far-ahead.ts';
import type { NotificationClaim } from '../../ports/storage/owed-notification.ts';
import { byId } from './order.ts';

/** Notifications of one kind, and when each can be claimed. */
export class OwedNotifications<Owed extends { readonly id: string }> {
  readonly #rows: Map<string, { readonly notification: Owed; owedAt: number }> = new Map();

  add(notification: Owed): void {
    this.#rows.set(notification.id, { notification: structuredClone(notification), owedAt: 0 });
  }

  claim({ now, leaseMs, limit }: NotificationClaim): readonly Owed[] {
    const owed = [...this.#rows.values()]
      .filter(({ owedAt }) => owedAt <= now || owedAt > latestLeaseEnd(now, leaseMs))
      .toSorted((a, b) => byId(a.notification, b.notification))
      .slice(0, limit);
    for (const row of owed) row.owedAt = now + leaseMs;
    return structuredClone(owed.map(({ notification }) => notification));
  }

  complete(id: string): void {
    this.#rows.delete(id);
  }
}
