import type { Admin, PersonInput, PersonProgress } from '@trunkline/core';
import { usageError } from '../errors/command-error.ts';
import type { Call } from './command.ts';
import { workspaceMeant } from './workspaces.ts';

export async function personMeant(admin: Admin, { options }: Pick<Call, 'options'>): Promise<PersonInput> {
  const [number, contactId] = [options.text('number'), options.text('contact')];
  if ((number === undefined) === (contactId === undefined))
    throw usageError('Name the person by either --number or --contact.');
  const { id: workspaceId } = await workspaceMeant(admin, options.text('workspace'));
  return contactId === undefined ? { workspaceId, number: number ?? '' } : { workspaceId, contactId };
}

const STEPS: Readonly<Record<PersonProgress['step'], string>> = {
  messages: 'messages',
  events: 'events',
  session: 'what the network needs',
  files: 'files',
  database: 'overwriting what was deleted',
  contacts: 'contacts',
};

export function showProgress({ output }: Pick<Call, 'output'>): (progress: PersonProgress) => void {
  return ({ step, looked, found }) =>
    output.progress(
      looked === 0 ? STEPS[step] : `${STEPS[step]}: ${looked} looked through, ${found} of the person`,
    );
}
