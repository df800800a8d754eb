import * as z from 'zod';
import { TrunklineError } from '@trunkline/core';
import { refuse } from '@trunkline/core/spi/http';
import type { SandboxPhone } from '@trunkline/core/sandbox';

/** What can be done with a phone from another process than the network's. */
export type NetworkPhone = Omit<SandboxPhone, 'accepted'> & {
  /** Unlinks the number from the gateway's side. */
  forget(): Promise<void>;
};

const responded = z.object({ response: z.string().nullable() });
const failed = z.object({ code: z.literal('INVALID_INSTANCE_STATE').optional(), message: z.string() });

/** The phone behind an instance, on the network at this address. */
export function networkPhone(url: string, instanceId: string): NetworkPhone {
  const act = async (action: string, input: object = {}): Promise<string> => {
    const response = await fetch(`${url}/phones/${instanceId}/${action}`, {
      method: 'POST',
      body: JSON.stringify(input),
    });
    const reply: unknown = await response.json();
    if (response.ok) return responded.parse(reply).response ?? '';
    const { code, message } = failed.parse(reply);
    throw code ? new TrunklineError(refuse(code, message).refusal) : new Error(message);
  };
  const notify = async (action: string, input?: object): Promise<void> => {
    await act(action, input);
  };
  return {
    scan: (profile) => notify('scan', profile),
    receive({ file, ...message }) {
      const content = file && Buffer.from(file.content).toString('base64');
      return act('receive', { ...message, ...(file && { file: { ...file, content } }) });
    },
    addGroup: (group) => act('addGroup', group),
    leaveGroup: (networkId) => notify('leaveGroup', { networkId }),
    drop: () => notify('drop'),
    unlink: () => notify('unlink'),
    fail: () => notify('fail'),
    forget: () => notify('forget'),
  };
}
