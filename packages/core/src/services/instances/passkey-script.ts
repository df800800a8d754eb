import type { PasskeyRequestOptions } from '../../domain/instance/passkey.ts';

/**
 * Returns JavaScript for the console of a browser on a page of the passkey's domain: browsers use a passkey nowhere else.
 * It shows a button, because browsers want a click before they use a passkey and before they copy, and then the answer
 * as text: the policy of such a page allows no requests to other servers.
 */
export function passkeyScript(options: PasskeyRequestOptions): string {
  // `<` and line separators are escaped, so that the options stay inside the script wherever it is pasted.
  const json = JSON.stringify(options).replaceAll(
    /[<\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `(${SCRIPT})(${json});`;
}

/** Written as text, because core has no types of browsers, and builds rename and rewrite functions. */
const SCRIPT = `(options) => {
  const bytes = (text) =>
    Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (letter) => letter.charCodeAt(0));
  const text = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\\+/g, '-').replace(/\\//g, '_').replace(/=+$/, '');
  const add = (tag, content) => {
    const element = document.createElement(tag);
    element.textContent = content;
    element.style.cssText = 'display:block;width:100%;margin:0 0 12px;padding:8px;font:16px sans-serif;box-sizing:border-box;color:#111;background:#fff';
    return dialog.appendChild(element);
  };
  const dialog = document.createElement('dialog');
  dialog.style.cssText = 'width:480px;padding:16px;color:#111;background:#fff;z-index:2147483647';
  const status = add('p', 'Use the passkey of this account to link the number.');
  const use = add('button', 'Use passkey');
  use.onclick = async () => {
    try {
      if (location.hostname !== options.rpId && !location.hostname.endsWith('.' + options.rpId))
        throw new Error('open a page of ' + options.rpId + ', and run the script there');
      const { id, rawId, type, response } = await navigator.credentials.get({
        publicKey: PublicKeyCredential.parseRequestOptionsFromJSON
          ? PublicKeyCredential.parseRequestOptionsFromJSON(options)
          : {
              ...options,
              extensions: {},
              challenge: bytes(options.challenge),
              allowCredentials: (options.allowCredentials || []).map((known) => ({ ...known, id: bytes(known.id) })),
            },
      });
      const answer = JSON.stringify({
        id,
        rawId: text(rawId),
        type,
        response: {
          clientDataJSON: text(response.clientDataJSON),
          authenticatorData: text(response.authenticatorData),
          signature: text(response.signature),
          userHandle: response.userHandle ? text(response.userHandle) : null,
        },
      });
      use.remove();
      status.textContent = 'Copy this answer, and paste it where you link the number.';
      const area = add('textarea', answer);
      area.readOnly = true;
      area.rows = 6;
      area.select();
      const copy = add('button', 'Copy');
      copy.onclick = async () => {
        area.select();
        await navigator.clipboard.writeText(answer).catch(() => document.execCommand('copy'));
        copy.textContent = 'Copied';
      };
    } catch (error) {
      status.textContent = 'The passkey could not be used: ' + error.message;
    }
  };
  document.body.append(dialog);
  dialog.showModal();
}`;
