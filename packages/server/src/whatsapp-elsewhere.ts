import type { Gateway } from '@trunkline/core';

/**
 * The gateway of a process without connections. It does not use Baileys, which need not be installed there, but has the
 * capabilities and message ids of `baileysGateway()` in the processes that hold connections.
 */
export function whatsAppElsewhere(): Gateway {
  const refuse = (): Promise<never> =>
    Promise.reject(new Error('This process holds no connections: give it the role gateway in ROLES.'));
  return {
    capabilities: ['text', 'image', 'document', 'audio', 'video', 'groups'],
    acceptsProxy: true,
    attach() {},
    newMessageId: (bytes) => `3EB0${Buffer.from(bytes).toString('hex', 0, 9).toUpperCase()}`,
    open: refuse,
    unlink: refuse,
  };
}
