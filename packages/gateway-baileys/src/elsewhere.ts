import type { Gateway } from '@trunkline/core/spi/gateway';
import { WHATSAPP } from './network-facts.ts';

/**
 * The gateway of a process that only serves requests for instances on WhatsApp. It loads neither Baileys nor its
 * dependencies. Other processes, with `baileysGateway()`, connect the instances.
 */
export function baileysElsewhere(): Gateway {
  const refuse = (): Promise<never> =>
    Promise.reject(new Error('This process holds no connections to WhatsApp: use baileysGateway().'));
  return { ...WHATSAPP, connectsElsewhere: true, attach() {}, open: refuse, unlink: refuse };
}
