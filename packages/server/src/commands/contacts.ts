import type { CallResult, TrunklineClient } from '@trunkline/http/client';
import { printable } from '../terminal/printable.ts';
import type { Call, CommandHandler } from './command.ts';
import { accepted, remoteService } from './remote-service.ts';
import { anyObject } from './service-shapes.ts';

type Contacts = TrunklineClient['contacts'];

export const blockContact: CommandHandler = (call) =>
  setBlocked(call, true, (contacts, id) => contacts.block(id, call));

export const unblockContact: CommandHandler = (call) =>
  setBlocked(call, false, (contacts, id) => contacts.unblock(id, call));

/** The response has no body, so the output says what was done. */
async function setBlocked(
  call: Call,
  blocked: boolean,
  set: (contacts: Contacts, id: string) => Promise<CallResult<unknown>>,
): Promise<void> {
  const contact = call.argument('contact');
  const service = await remoteService(call);
  await accepted(service, set(service.client.contacts, contact), anyObject);
  call.output.result(
    { data: { contact, blocked } },
    printable(`${contact} is ${blocked ? 'blocked' : 'not blocked'}.`),
  );
}
