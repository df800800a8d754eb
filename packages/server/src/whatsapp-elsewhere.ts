import type { Gateway } from '@trunkline/core';

/**
 * What a process has to know of WhatsApp that holds no connections: no code of Baileys, which need not be installed
 * there. It says the same of messages as `baileysGateway()` in the processes that hold them.
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
