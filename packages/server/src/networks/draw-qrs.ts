import { renderUnicodeCompact } from 'uqr';
import type { Gateway } from '@trunkline/core';

/** Returns a gateway that also prints each QR code as text, for a person who has the phone and reads the terminal. */
export function drawQrs(gateway: Gateway, print: (text: string) => void): Gateway {
  return {
    ...gateway,
    open: (session, listener, options) =>
      gateway.open(
        session,
        {
          ...listener,
          qr(code, expiresAt, pairingCode) {
            print(linkingText(session.instanceId, code, pairingCode));
            return listener.qr(code, expiresAt, pairingCode);
          },
        },
        options,
      ),
  };
}

function linkingText(instanceId: string, code: string, pairingCode: string | undefined): string {
  const howTo =
    pairingCode === undefined
      ? 'scan this with the phone (Linked devices, Link a device):'
      : `scan this with the phone (Linked devices, Link a device), or type ${pairingCode} there:`;
  return `\nTo link ${instanceId}, ${howTo}\n${renderUnicodeCompact(code)}`;
}
