import { getBinaryNodeChild } from '@whiskeysockets/baileys';
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys';
import { codeRefusal } from './request-pairing-code.ts';

/**
 * Calls `refused` if the network does not link the phone on which the pairing code was typed. Baileys only logs the
 * refusal, so the connection would end later as if no phone had tried.
 */
export function watchTypedCode({ ws }: Pick<WASocket, 'ws'>, refused: (error: Error) => void): void {
  let isTyped = false;
  ws.on('CB:notification,type:link_code_companion_reg', () => {
    isTyped = true;
  });
  // Until a number is linked, no other request is refused.
  ws.on('CB:iq,type:error', (response: BinaryNode) => {
    if (isTyped) refused(codeRefusal(Number(getBinaryNodeChild(response, 'error')?.attrs['code'])));
  });
}
