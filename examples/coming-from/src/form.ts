import type { WebhookEvent } from '@trunkline/receiver';

/** Converts Trunkline's events to the webhooks of another service. */
export interface Form {
  /**
   * Returns the webhooks that the consumer would have got for this event, in order; empty if the other service has no
   * such event. An event that is retried is converted again.
   */
  convert(event: WebhookEvent, context: Context): Promise<readonly OldWebhook[]> | readonly OldWebhook[];
  /** The URL for this webhook; by default, the consumer's URL unchanged. */
  urlOf?(webhook: OldWebhook, url: string): string;
  /** Headers that the other service adds, such as a signature over exactly this body. */
  headersOf?(webhook: OldWebhook, body: string): Readonly<Record<string, string>>;
}

export interface OldWebhook {
  /** Derived from the id of Trunkline's event, so that a repeat has the same id. */
  readonly id: string;
  /** The event's name in the other service, by which a consumer chooses its events. */
  readonly event: string;
  readonly body: object;
}

/** The data that the forms need besides the event. */
export interface Context {
  /** The name of this instance's session in the other service. */
  sessionOf(instanceId: string): string;
  /** The URL of a message's file, which can be downloaded with an API key. */
  mediaUrlOf(messageId: string): string;
  /** The QR of an instance, or null if it no longer shows one. */
  readQr(instanceId: string): Promise<Qr | null>;
}

interface Qr {
  readonly code: string;
  readonly svg: string;
  readonly pairingCode: string | null;
}
