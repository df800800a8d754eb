// What the programs of the documentation take for granted; see check-docs.mjs.
import type { DatabaseSync } from 'node:sqlite';
import type { Gateway, Logger, SendTextInput, Trunkline, WorkspaceApi } from '@trunkline/core';
import type { TestNetwork } from '@trunkline/gateway-contract';
import type { WebhookMessage } from '@trunkline/receiver';

declare global {
  /** On SQLite. */
  const trunkline: Trunkline<DatabaseSync>;
  const api: WorkspaceApi<DatabaseSync>;
  const workspaceId: string;
  /** The id of one. */
  const instance: string;
  const apiKey: string;
  const message: SendTextInput;
  const transaction: DatabaseSync;
  const logger: Logger;

  /** A reader's own. */
  const saveOnce: (eventId: string, message: WebhookMessage) => Promise<void>;
  const POST: (request: Request) => Promise<Response>;
  const bytes: Uint8Array<ArrayBuffer>;
  /** What a QR code says. */
  const qr: string;

  /** Of who writes a gateway. */
  const startTestNetwork: () => Promise<TestNetwork>;
  const carrierGateway: (url: string) => Gateway;

  /** Vitest's. */
  const vi: (typeof import('vitest'))['vi'];
  const expect: (typeof import('vitest'))['expect'];
}
