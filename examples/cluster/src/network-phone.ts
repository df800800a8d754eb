import * as z from 'zod';
import { TrunklineError } from '@trunkline/core';
import { refuse } from '@trunkline/core/spi/http';
import type { SandboxMessage, SandboxPhone } from '@trunkline/core/sandbox';

export type NetworkPhone = Omit<SandboxPhone, 'accepted' | 'acted' | 'read' | 'blocked' | 'typing'> & {
  /** Unlinks the number from the gateway's side. */
  forget(): Promise<void>;
};

const done = z.object({ response: z.string().nullable() });
const failed = z.object({ code: z.literal('INVALID_INSTANCE_STATE').optional(), message: z.string() });

export function networkPhone(url: string, instanceId: string): NetworkPhone {
  const act = async (action: string, input: object = {}): Promise<string> => {
    const response = await fetch(`${url}/phones/${instanceId}/${action}`, {
      method: 'POST',
      body: JSON.stringify(input),
    });
    const body: unknown = await response.json();
    if (response.ok) return done.parse(body).response ?? '';
    const { code, message } = failed.parse(body);
    throw code ? new TrunklineError(refuse(code, message).refusal) : new Error(message);
  };
  const perform = async (action: string, input?: object): Promise<void> => {
    await act(action, input);
  };
  const sent = ({ file, ...message }: Pick<SandboxMessage, 'file'>): object => {
    const content = file && Buffer.from(file.content).toString('base64');
    return { ...message, ...(file && { file: { ...file, content } }) };
  };
  return {
    scan: (profile) => perform('scan', profile),
    signPasskey: async () => JSON.parse(await act('signPasskey')), // as the sandbox returns it
    receive: (message) => act('receive', sent(message)),
    write: (message) => act('write', sent(message)),
    react: (reaction) => perform('react', reaction),
    vote: (vote) => perform('vote', vote),
    edit: (edit) => perform('edit', edit),
    delete: (deletion) => perform('delete', deletion),
    updateMedia: (update) => perform('updateMedia', sent(update)),
    call: (call) => perform('call', call),
    receiveUndecryptable: (message) => act('receiveUndecryptable', message),
    addGroup: (group) => act('addGroup', group),
    offerGroup: (group) => act('offerGroup', group),
    askToJoin: (networkId, phoneNumber) => perform('askToJoin', { networkId, phoneNumber }),
    leaveGroup: (networkId) => perform('leaveGroup', { networkId }),
    drop: () => perform('drop'),
    unlink: () => perform('unlink'),
    fail: () => perform('fail'),
    forget: () => perform('forget'),
  };
}
