import type { Network } from '../network.ts';
import { children, seconds, stanza } from '../stanza.ts';
import type { Stanza } from '../stanza.ts';
import type { AddressingMode, Contact } from '../directory/contact.ts';
import type { Companion, LinkedAccount } from '../directory/linked-account.ts';

interface Giving {
  readonly from: Contact;
  readonly to: LinkedAccount;
  /** In milliseconds. */
  readonly givenAt: number;
  readonly addressing: AddressingMode;
}

/** A person gives an account a token, and the account's clients are notified. Returns the id of the stanza. */
export function giveToken(network: Network, { from, to, givenAt, addressing }: Giving): string {
  const id = network.newStanzaId();
  const { bytes, t } = from.tokens.give(to.phoneNumber, givenAt);
  const mode = from.hidesNumber ? 'lid' : addressing;
  const attrs = { id, type: 'privacy_token', from: from.jidIn(mode), t: seconds(network.now()) };
  const named = { ...attrs, sender_lid: mode === 'pn' ? from.lidJid : undefined };
  for (const { inbox, jid } of to.reachable) {
    const token = stanza('token', { jid, t, type: 'trusted_contact' }, bytes);
    inbox.put(stanza('notification', named, [stanza('tokens', {}, [token])]));
  }
  return id;
}

/** A client gives people a token of its account. Throws if the query is malformed. */
export function takeTokens({ account }: Companion, network: Network, tokens: Stanza): void {
  for (const { attrs } of children(tokens, 'token')) {
    const contact = network.directory.byJid(attrs['jid'] ?? '');
    const isGiven = attrs['type'] === 'trusted_contact' && /^\d{10}$/.test(attrs['t'] ?? '');
    if (contact === undefined || !isGiven) throw new Error(`no token: ${JSON.stringify(attrs)}`);
    account.tokensGiven.push(contact.phoneNumber);
  }
}
