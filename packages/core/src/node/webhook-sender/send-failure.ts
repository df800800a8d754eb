import type { WebhookResponse } from '../../ports/webhook-sender.ts';

export class SendFailure extends Error {
  override readonly name = 'SendFailure';
  readonly code: NonNullable<WebhookResponse['errorCode']>;

  constructor(code: NonNullable<WebhookResponse['errorCode']>, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
