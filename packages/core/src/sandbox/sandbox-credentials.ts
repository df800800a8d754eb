import type { CredentialField, Credentials, CredentialsCheck, LinkedProfile } from '../ports/gateway.ts';
import { CAPABILITIES } from '../services/message-kinds/message-kinds.ts';

/** The credentials of a sandbox that is linked by credentials. */
export const SANDBOX_CREDENTIALS: readonly CredentialField[] = [
  {
    name: 'phone_number',
    secret: false,
    required: true,
    about: 'The number, with its country code, in digits: any number that you make up.',
  },
  {
    name: 'access_token',
    secret: true,
    required: true,
    about: 'Any text that begins with "sandbox-". The network does not respond to "sandbox-unreachable".',
  },
  {
    name: 'capabilities',
    secret: false,
    required: false,
    about: 'What the number can send, such as "text, image". By default everything.',
  },
];

/** Decides about credentials as a network would. Rejects if the network does not respond. */
export async function checkSandboxCredentials(credentials: Credentials): Promise<CredentialsCheck> {
  const { phone_number: phoneNumber = '', access_token: token = '' } = credentials;
  if (!/^[1-9]\d{6,14}$/.test(phoneNumber))
    return { kind: 'refused', message: 'The phone_number must have 7 to 15 digits, without a leading 0.' };
  if (!token.startsWith('sandbox-'))
    return {
      kind: 'refused',
      message: 'The sandbox network does not know this access_token: it must begin with "sandbox-".',
    };
  if (token === 'sandbox-unreachable') throw new Error('The sandbox network does not respond.');
  return { kind: 'valid', profile: profileOf(credentials) };
}

/** The number that valid credentials link. */
export function profileOf({ phone_number: phoneNumber = '', capabilities }: Credentials): LinkedProfile {
  const named = capabilities?.split(',').map((name) => name.trim());
  return {
    phoneNumber,
    profileName: 'Sandbox number',
    profilePictureUrl: null,
    capabilities: named ? CAPABILITIES.filter((capability) => named.includes(capability)) : null,
  };
}
