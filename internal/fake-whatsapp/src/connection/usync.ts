import { jidDecode, jidEncode } from '@whiskeysockets/baileys';
import { SERVER, child, children, stanza, textOf } from '../stanza.ts';
import type { Stanza } from '../stanza.ts';
import { HOSTED, PHONE } from '../directory/contact.ts';
import type { Contact } from '../directory/contact.ts';
import { LinkedAccount } from '../directory/linked-account.ts';
import type { Directory } from '../directory/directory.ts';

/** The response to a query about people: whether they have WhatsApp, their LIDs, their devices. */
export function respondToUsync(query: Stanza, directory: Directory): Stanza {
  const wanted = children(child(query, 'query')).map(({ tag }) => tag);
  const users = children(child(query, 'list'), 'user').map((user) => userNode(user, wanted, directory));
  const { sid, mode, context } = query.attrs;
  return stanza('usync', { sid, index: '0', last: 'true', mode, context }, [
    stanza(
      'result',
      {},
      wanted.map((tag) => stanza(tag)),
    ),
    stanza('list', {}, users),
  ]);
}

function userNode(user: Stanza, wanted: readonly string[], directory: Directory): Stanza {
  const phoneNumber = askedNumber(user);
  const dialled = directory.dial(phoneNumber);
  // If the query has a number, the response has the person's registered number.
  const asked = user.attrs['jid'] ?? dialled?.jid ?? jidEncode(phoneNumber, SERVER);
  const contact = phoneNumber === '' ? directory.byJid(asked) : dialled;
  const known = contact?.onWhatsApp === true ? contact : undefined;
  const responses: Stanza[] = [];
  if (wanted.includes('contact'))
    responses.push(stanza('contact', { type: known ? 'in' : 'out' }, textOf(user, 'contact')));
  if (known !== undefined) {
    const isLid = jidDecode(asked)?.server === 'lid';
    if (wanted.includes('lid') && !isLid && known.lidJid !== undefined) {
      responses.push(stanza('lid', { val: known.lidJid }));
    }
    if (wanted.includes('devices')) responses.push(devicesNode(known));
  }
  return stanza('user', { jid: asked }, responses);
}

/** The digits in `<contact>+5511…</contact>`; empty if the query names the user by jid. */
function askedNumber(user: Stanza): string {
  return textOf(user, 'contact').replace('+', '');
}

/** The phone is device 0; linked clients follow. */
function devicesNode(contact: Contact): Stanza {
  if (!contact.hasDevices) return stanza('devices', {}, [stanza('device-list', { hash: '2:fake' }, [])]);
  const linked =
    contact instanceof LinkedAccount
      ? contact.reachable.map(({ device }) => device)
      : contact.devices.filter((device) => device !== PHONE);
  const devices = linked.map((device) =>
    stanza('device', {
      id: String(device),
      'key-index': String(device),
      is_hosted: device === HOSTED ? 'true' : undefined,
    }),
  );
  return stanza('devices', {}, [
    stanza('device-list', { hash: '2:fake' }, [stanza('device', { id: '0' }), ...devices]),
  ]);
}
