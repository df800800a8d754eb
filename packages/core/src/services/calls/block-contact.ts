import { isId } from '../../domain/id.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { findActiveWorkspace } from '../admin/workspaces.ts';
import type { ServiceContext } from '../context.ts';
import { findInstance } from '../instances/instances.ts';
import { callInstance, checkCallable } from './call-instance.ts';

/**
 * Blocks a contact for its instance, or no longer. Needs no plan that allows sending, because a person can be a nuisance
 * without one.
 */
export async function setBlocked(
  context: ServiceContext,
  { workspaceId, id }: { readonly workspaceId: string; readonly id: string },
  isBlocked: boolean,
): Promise<Result<true>> {
  const workspace = await findActiveWorkspace(context, workspaceId);
  if (!workspace.ok) return workspace;
  const contact = isId('con', id) ? await context.storage.contacts.find(workspaceId, null, id) : null;
  if (!contact) return refuse('CONTACT_NOT_FOUND', 'There is no such contact in this workspace.');
  const found = await findInstance(context, workspaceId, contact.instanceId);
  if (!found.ok) return found;
  const callable = checkCallable(context, found.value, 'block');
  if (!callable.ok) return callable;
  const { phoneNumber, networkId } = contact;
  const person = { to: phoneNumber ?? '', isGroup: false, contactNetworkId: networkId };
  const blocked = await callInstance(context, found.value, { kind: 'block', person, isBlocked });
  return blocked.ok ? ok(true) : blocked;
}
