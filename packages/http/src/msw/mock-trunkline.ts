import type { HttpHandler } from 'msw';
import type {
  Admin,
  InstanceInput,
  InstanceResource,
  Logger,
  UrlPolicy,
  WorkspaceApi,
} from '@trunkline/core';
import type { Sandbox } from '@trunkline/core/sandbox';
import type { HttpAppOptions } from '../http-options.ts';
import type { SentWebhook, WebhookReceiver } from './webhook-handover.ts';

/** The options of `startMockTrunkline`. */
export interface MockTrunklineOptions {
  /** The address of the API in your code: `https://api.example.com/api/v1`. */
  readonly baseUrl: string;
  /**
   * Receives the signed webhooks: the handler of your route, or `fetch`, which sends them to your server or to another
   * msw handler. By default, webhooks get a 204 and are only kept in `webhooks`.
   */
  readonly onWebhook?: WebhookReceiver | undefined;
  /**
   * `local` also accepts http, any port and loopback in webhook URLs, as a server in development does. Default
   * `public`.
   */
  readonly urlPolicy?: UrlPolicy | undefined;
  /** The option of `createHttpApp`; off by default. */
  readonly rateLimit?: HttpAppOptions['rateLimit'];
  /** The service's logger, such as `console`. Silent by default. */
  readonly logger?: Logger | undefined;
}

/** The real service in the process of your tests, with one workspace. */
export interface MockTrunkline {
  /** The handlers for `setupServer(...handlers)` or `server.use(...handlers)` of `msw/node`. */
  readonly handlers: readonly HttpHandler[];
  /** The address of the API, for `createClient`. */
  readonly baseUrl: string;
  /** An API key of the workspace, with every scope. */
  readonly apiKey: string;
  /** The id of the workspace, `ten_…`. */
  readonly workspaceId: string;
  /** In-process access to the workspace, to prepare a test and to check the effects of your code. */
  readonly workspace: WorkspaceApi;
  /** Manages plans, suspension, keys and workspaces. */
  readonly admin: Admin;
  /** The simulated phones: `sandbox.phone(instance.id).receive({ from: '15550100', text: 'Hello' })`. */
  readonly sandbox: Sandbox;
  /** Every attempt to deliver a webhook, oldest first. */
  readonly webhooks: readonly SentWebhook[];
  /** Creates an instance, links it and connects it. */
  connectInstance(input?: InstanceInput): Promise<InstanceResource>;
  /** Stops the service. Resolves when no work is in flight. */
  stop(): Promise<void>;
}
