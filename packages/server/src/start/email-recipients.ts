import type { Trunkline } from '@trunkline/core';

/** Makes these addresses the only recipients of the oldest workspace's notifications. */
export async function setEmailRecipients(
  { admin }: Pick<Trunkline, 'admin'>,
  emails: readonly string[],
): Promise<void> {
  const [workspace] = await admin.workspaces.list();
  if (!workspace) return;
  const workspaceId = workspace.id;
  const members = await admin.members.list(workspaceId);
  for (const { id, email, administersWebhooks } of members) {
    const isRecipient = emails.includes(email);
    if (isRecipient !== administersWebhooks) {
      await admin.members.update(workspaceId, id, {
        administersWebhooks: isRecipient,
        // The person who sets MAIL_TO vouches for the address.
        ...(isRecipient && { emailVerified: true }),
      });
    }
  }
  const known = members.map(({ email }) => email);
  for (const email of new Set(emails.filter((address) => !known.includes(address)))) {
    await admin.members.create({ workspaceId, email, emailVerified: true, administersWebhooks: true });
  }
}
