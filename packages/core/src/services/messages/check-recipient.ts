import type { Contact } from '../../domain/contact/contact.ts';
import { isId } from '../../domain/id.ts';
import type { ChatAddress } from '../../domain/instance/chat-address.ts';
import type { Group } from '../../domain/instance/group.ts';
import type { Instance } from '../../domain/instance/instance.ts';
import type { Recipient } from '../../domain/message/recipient.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import type { ServiceContext } from '../context.ts';

export type Owner = Pick<Instance, 'id' | 'workspaceId' | 'network' | 'capabilities'>;

/** Null if the recipient is not a group. */
export async function checkGroup(
  context: ServiceContext,
  instance: Owner,
  recipient: Recipient,
): Promise<Result<Group | null>> {
  if (recipient.kind !== 'group') return ok(null);
  // Stored groups may come from another gateway, or from a gateway that does not declare groups.
  if (!context.gateways.capabilities(instance).includes('groups')) {
    return refuse('GROUP_NOT_FOUND', 'This instance has no groups: send to a phone number.');
  }
  const { groupId } = recipient;
  const group = isId('grp', groupId)
    ? await context.storage.groups.find(instance.workspaceId, instance.id, groupId)
    : null;
  return group ? ok(group) : noGroup();
}

export function noGroup(): Result<never> {
  return refuse(
    'GROUP_NOT_FOUND',
    'The instance is in no such group: list its groups for the ids of those that it is in.',
  );
}

/** Null if the recipient is not a contact. */
export async function checkContact(
  { storage }: ServiceContext,
  { workspaceId, id }: Owner,
  recipient: Recipient,
): Promise<Result<Contact | null>> {
  if (recipient.kind !== 'contact') return ok(null);
  const { contactId } = recipient;
  const contact = isId('con', contactId) ? await storage.contacts.find(workspaceId, id, contactId) : null;
  return contact
    ? ok(contact)
    : refuse(
        'INVALID_RECIPIENT',
        'The instance knows no such contact: use the id of a contact in one of its messages.',
      );
}

/** The network's address of a recipient. That of a number has the person's network id, too, if the number has a contact. */
export async function findAddress(
  context: ServiceContext,
  instance: Owner,
  recipient: Recipient,
): Promise<Result<ChatAddress>> {
  const group = await checkGroup(context, instance, recipient);
  if (!group.ok) return group;
  if (group.value) return ok({ to: group.value.networkId, isGroup: true });
  const contact = await checkContact(context, instance, recipient);
  if (!contact.ok) return contact;
  const { contacts } = context.storage;
  const digits = recipient.kind === 'number' ? recipient.digits : null;
  const person =
    digits === null ? contact.value : await contacts.findByNumber(instance.workspaceId, instance.id, digits);
  return ok({
    to: digits ?? person?.phoneNumber ?? '',
    isGroup: false,
    contactNetworkId: person?.networkId ?? null,
  });
}
