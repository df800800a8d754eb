import { checkOptionNames } from '@trunkline/option-names';
import type { Clock } from '../ports/clock.ts';
import type { Crypto } from '../ports/crypto.ts';
import type { DnsResolver } from '../ports/dns-resolver.ts';
import type { LinkPreviewer } from '../ports/link-previewer.ts';
import type { MediaStore } from '../ports/media-store.ts';
import type { ProcessMonitor } from '../ports/process-monitor.ts';
import type { Random } from '../ports/random.ts';
import type { WebhookSender } from '../ports/webhook-sender.ts';
import { systemClock } from './clock.ts';
import { nodeCrypto } from './crypto.ts';
import { fileMediaStore } from './file-media-store.ts';
import { nodeDnsResolver } from './dns-resolver.ts';
import { nodeLinkPreviewer } from './link-previewer/link-previewer.ts';
import { nodeProcessMonitor } from './process-monitor.ts';
import { systemRandom } from './random.ts';
import {
  undiciWebhookSender,
  type UndiciWebhookSenderOptions,
} from './webhook-sender/undici-webhook-sender.ts';

/** Every port that Node can provide. */
export interface NodeRuntime {
  /** The system's clock and timers. */
  readonly clock: Clock;
  /** The system's secure random bytes. */
  readonly random: Random;
  /** SHA-256, key derivation and AES-256-GCM of `node:crypto`. */
  readonly crypto: Crypto;
  /** Resolves the hosts of webhooks. */
  readonly dns: DnsResolver;
  /** Sends webhooks. */
  readonly webhookSender: WebhookSender;
  /** Fetches previews of links, if `linkPreviews` is on. */
  readonly linkPreviewer: LinkPreviewer;
  /** Reads the memory and the load of this process. */
  readonly processMonitor: ProcessMonitor;
  /** Present only if `mediaDirectory` is set. */
  readonly media?: MediaStore;
}

/** The options of `nodeRuntime`. */
export interface NodeRuntimeOptions {
  /** The directory for media files. If omitted, only texts can be sent, and received files are not kept. */
  readonly mediaDirectory?: string;
  /** Resolves the hosts of webhooks. The system's resolver by default. */
  readonly dns?: DnsResolver;
  /** The options of the webhook sender, such as its time limits and trusted authorities. */
  readonly webhooks?: Omit<UndiciWebhookSenderOptions, 'dns'>;
}

/**
 * The runtime of Node, to spread into the options of `createTrunkline`. Throws a TypeError if an option does not exist.
 *
 * @example createTrunkline({ ...nodeRuntime({ mediaDirectory: './media' }), storage, gateways: [gateway], secretKey })
 */
export function nodeRuntime(options: NodeRuntimeOptions = {}): NodeRuntime {
  checkOptionNames('nodeRuntime', options, { mediaDirectory: true, dns: true, webhooks: true });
  const { webhooks = {} } = options;
  checkOptionNames('nodeRuntime: webhooks', webhooks, {
    tls: true,
    timeouts: true,
    maxIdleConnections: true,
  });
  const dns = options.dns ?? nodeDnsResolver();
  return {
    clock: systemClock(),
    random: systemRandom(),
    crypto: nodeCrypto(),
    dns,
    webhookSender: undiciWebhookSender({ ...webhooks, dns }),
    linkPreviewer: nodeLinkPreviewer({ dns }),
    processMonitor: nodeProcessMonitor(),
    ...(options.mediaDirectory === undefined
      ? {}
      : { media: fileMediaStore({ directory: options.mediaDirectory }) }),
  };
}
