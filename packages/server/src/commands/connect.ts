import { renderUnicodeCompact } from 'uqr';
import type { InstanceResource, QrResource } from '@trunkline/http/client';
import { printable } from '../terminal/printable.ts';
import type { Call, CommandHandler } from './command.ts';
import { CommandError, EXIT } from '../errors/command-error.ts';
import { passkeyDialog } from './connect-passkey.ts';
import type { PasskeyDialog } from './connect-passkey.ts';
import { withDeadline } from './deadline.ts';
import { pause } from './pause.ts';
import { accepted, checkShape, failedResponse, remoteService } from './remote-service.ts';
import type { RemoteService } from './remote-service.ts';
import { instance as instanceShape, one as reply, qr as qrShape, theOne } from './service-shapes.ts';
import { statusText } from '../terminal/status-text.ts';

const LOOK_EVERY_MS = 500;
/** Statuses in which a requested connection makes no progress without help. */
const OVER: readonly InstanceResource['status'][] = ['disconnected', 'logged_out', 'error'];

/** Connects an instance, or a new one if none is named, and shows each QR until the phone has scanned one. */
export const connectCommand: CommandHandler = async (call) => {
  const { options } = call;
  const service = await remoteService(call);
  const { instances } = service.client;
  const seconds = options.whole('timeout', { min: 1, max: 3_600 }) ?? 180;
  const given = call.argument('instance');
  const id = given === '' ? await newInstance(call, service) : given;
  const input = { pairing_phone_number: options.text('pairing-phone') };
  const it = theOne(instanceShape, id);
  const before = (await accepted(service, instances.get(id, call), it)).data;
  if (before.status === 'connected') return connected(call, before);
  await accepted(service, instances.connect(id, input, call), it);
  const late = (): CommandError =>
    new CommandError(
      `${id} is not connected after ${seconds} s. It goes on waiting for a scan: "trunkline connect ${id}" shows the QR again.`,
      { exitCode: EXIT.failed, code: 'TIMEOUT' },
    );
  const data = await withDeadline({ seconds, signal: call.signal, late }, (signal, extendTo) =>
    untilConnected({ ...call, signal }, service, { id, extendTo }),
  );
  connected(call, data);
};

interface Connecting {
  readonly id: string;
  /** Lets the command wait until this time, because a person needs it. */
  readonly extendTo: (at: Date) => void;
}

async function untilConnected(
  call: Call,
  service: RemoteService,
  connecting: Connecting,
): Promise<InstanceResource> {
  const passkey = passkeyDialog(call, service);
  try {
    return await Promise.race([follow(call, service, { ...connecting, passkey }), passkey.failed]);
  } finally {
    passkey.close();
  }
}

async function follow(
  call: Call,
  service: RemoteService,
  { id, extendTo, passkey }: Connecting & { readonly passkey: PasskeyDialog },
): Promise<InstanceResource> {
  const { options, output } = call;
  const { instances } = service.client;
  let shown = '';
  let status = '';
  let isScanned = false;
  for (;;) {
    const { data } = await accepted(service, instances.get(id, call), theOne(instanceShape, id));
    if (data.status === 'connected') return data;
    if (data.status !== status) {
      status = data.status;
      output.say([`${printable(id)} is `, statusText(status, printable(status))]);
      if (output.isJson) output.result({ data }, '');
    }
    if (OVER.includes(data.status))
      throw new CommandError(
        `${id} is ${status}${data.last_error === null ? '' : `: ${printable(data.last_error)}`}. ${adviceFor(data.last_error, id)}`,
        { code: 'NOT_CONNECTED' },
      );
    if (status === 'qr_required' && data.last_error === 'passkey_required') {
      const until = await passkey.show(data);
      if (until) extendTo(until);
    } else if (status === 'qr_required') {
      if (options.flag('scan')) {
        if (!isScanned) await scan(service, id);
        isScanned = true;
      } else {
        const qr = await instances.qr(id, call);
        if (qr.ok) checkShape(service.url, qr, reply(qrShape));
        if (qr.ok && qr.data.code !== shown) {
          shown = qr.data.code;
          showQr(call, data, qr.data);
        }
      }
    }
    await pause(LOOK_EVERY_MS, call.signal);
  }
}

/** Returns advice about an instance that could not be linked or connected. */
function adviceFor(lastError: string | null, id: string): string {
  const again = `Begin again with "trunkline connect ${id}"`;
  switch (lastError) {
    case 'passkey_required':
      return `The network links devices to this account only with its passkey, which nobody gave in time. ${again}, and use the passkey in a browser.`;
    case 'passkey_unfinished':
      return `The passkey was accepted, but the phone did not finish the linking. ${again}, and keep the app open on the phone.`;
    default:
      return `${again}.`;
  }
}

async function newInstance(call: Call, service: RemoteService): Promise<string> {
  const { options } = call;
  const input = { name: options.text('name'), network: options.text('network') };
  const { data } = await accepted(
    service,
    service.client.instances.create(input, call),
    reply(instanceShape),
  );
  call.output.say(`Created instance ${data.id}.`);
  return data.id;
}

/** Scans the QR as a phone would. Only simulated phones can be controlled by a request. */
async function scan(service: RemoteService, id: string): Promise<void> {
  const path = `/sandbox/instances/${encodeURIComponent(id)}/scan`;
  const response = await service.fetch(path, { method: 'POST' });
  if (response.status === 404)
    throw new CommandError(
      '--scan is for simulated phones, and this service has none: scan the QR with the phone.',
      {
        exitCode: EXIT.refused,
        code: 'NO_SANDBOX',
      },
    );
  if (!response.ok) throw await failedResponse(response);
  await response.body?.cancel();
}

/** Draws the QR, but only on a terminal or with `--qr`, because others could find it in a file or a log. */
function showQr({ output, options }: Call, instance: InstanceResource, qr: QrResource): void {
  const { code, pairing_code: pairingCode, expires_at: expiresAt } = qr;
  if (output.isJson) {
    output.result(
      { data: { ...instance, qr: { code, pairing_code: pairingCode, expires_at: expiresAt } } },
      '',
    );
    return;
  }
  if (process.stdout.isTTY !== true && !options.flag('qr')) {
    output.note(
      'trunkline: the QR is not drawn, because this is not a terminal: add --qr to draw it, --json for its text, or --scan for a simulated phone.',
    );
    return;
  }
  // Without a public address, the service has no page for the credentials, and its QR says so in words.
  if (code.includes(' ')) return output.say(printable(code));
  if (/^https?:/.test(code)) {
    output.say(
      `Enter the credentials on this page, or with "trunkline instances credentials ${instance.id}":\n${printable(code)}\n${renderUnicodeCompact(code)}`,
    );
    return;
  }
  const typed = pairingCode === null ? '' : `, or type ${pairingCode} there`;
  output.say(
    `Scan this with the phone (Linked devices, Link a device)${typed}:\n${renderUnicodeCompact(code)}`,
  );
}

function connected({ output }: Call, data: InstanceResource): void {
  output.result({ data }, [
    `${data.id} is `,
    statusText('connected'),
    ` as ${printable(data.phone_number ?? data.name)}`,
  ]);
}
