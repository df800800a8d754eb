// The names that programs of the documentation use without declaring them; see check-docs.mjs.
import type { DatabaseSync } from 'node:sqlite';
import type { Gateway, Logger, SendTextInput, Trunkline, WorkspaceApi } from '@trunkline/core';
import type { TestNetwork } from '@trunkline/gateway-contract';
import type { WebhookMessage } from '@trunkline/receiver';

declare global {
  /** Runs on SQLite. */
  const trunkline: Trunkline<DatabaseSync>;
  const api: WorkspaceApi<DatabaseSync>;
  const workspaceId: string;
  /** The id of an instance. */
  const instance: string;
  const apiKey: string;
  const message: SendTextInput;
  const transaction: DatabaseSync;
  const logger: Logger;

  /** Written by the readers of the documentation. */
  const saveOnce: (eventId: string, message: WebhookMessage) => Promise<void>;
  const POST: (request: Request) => Promise<Response>;
  const bytes: Uint8Array<ArrayBuffer>;
  /** The content of a QR code. */
  const qr: string;

  /** A test network and a gateway to it, as a gateway's author has them. */
  const startTestNetwork: () => Promise<TestNetwork>;
  const carrierGateway: (url: string) => Gateway;

  /** From Vitest. */
  const vi: (typeof import('vitest'))['vi'];
  const expect: (typeof import('vitest'))['expect'];
}
