import type { Gateway } from '@trunkline/core';

/**
 * The gateway of a process without connections to WhatsApp, which needs neither Baileys nor its dependencies. Processes
 * with the role `gateway` use `baileysGateway()` of `@trunkline/gateway-baileys`.
 */
export function whatsAppElsewhere(): Gateway {
  const refuse = (): Promise<never> =>
    Promise.reject(new Error('This process holds no connections: it must not have the role "gateway".'));
  return {
    capabilities: ['text', 'image', 'document', 'audio', 'video', 'groups'],
    acceptsProxy: true,
    attach() {},
    newMessageId: (bytes) => `3EB0${Buffer.from(bytes).toString('hex', 0, 9).toUpperCase()}`,
    open: refuse,
    unlink: refuse,
  };
}
