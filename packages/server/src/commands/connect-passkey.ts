import { createInterface } from 'node:readline';
import type { InstanceResource, PasskeyAnswerInput, PasskeyResource } from '@trunkline/http/client';
import { CommandError } from '../errors/command-error.ts';
import { printable } from '../terminal/printable.ts';
import type { Call } from './command.ts';
import { accepted, checkShape } from './remote-service.ts';
import type { RemoteService } from './remote-service.ts';
import { instance as instanceShape, one as reply, passkey as passkeyShape } from './service-shapes.ts';

/** Takes a person through the passkey of an account while its number is linked. */
export interface PasskeyDialog {
  /** Shows the step that the network waits for, unless it is shown already. Returns when the step ends; null without one. */
  show(instance: InstanceResource): Promise<Date | null>;
  /** Rejects if an answer cannot be passed on, or the person says that the codes differ. */
  readonly failed: Promise<never>;
  close(): void;
}

export function passkeyDialog(call: Call, service: RemoteService): PasskeyDialog {
  const { output } = call;
  const { instances } = service.client;
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined);
  let shown: PasskeyResource | null = null;
  let id = '';
  let lines: ReturnType<typeof createInterface> | null = null;

  const answer = async (line: string): Promise<void> => {
    if (line === '' || !shown) return;
    if (shown.step === 'confirmation') return confirm(line);
    const credential = readAnswer(line);
    if (credential === null) {
      output.note('trunkline: this is not the whole answer: copy it again, and paste it as one line.');
      return;
    }
    const passed = await instances.answerPasskey(id, credential, call);
    if (!passed.ok) output.note(`trunkline: ${printable(passed.error.message)}`);
  };

  const confirm = async (line: string): Promise<void> => {
    if (/^n(o)?$/i.test(line)) {
      await accepted(service, instances.disconnect(id, call), reply(instanceShape));
      throw new CommandError(
        `${id} is not linked, because the codes differ: somebody else may have scanned the QR. Begin again with "trunkline connect ${id}".`,
        { code: 'NOT_CONNECTED' },
      );
    }
    if (!/^y(es)?$/i.test(line)) {
      output.note('trunkline: type yes or no.');
      return;
    }
    const passed = await instances.confirmPasskey(id, call);
    if (!passed.ok) output.note(`trunkline: ${printable(passed.error.message)}`);
  };

  /** On a terminal, reads keys one by one: a terminal that reads whole lines cuts off a long one. */
  const read = (): void => {
    if (lines) return;
    const terminal = process.stdin.isTTY === true;
    lines = createInterface({
      input: process.stdin,
      terminal,
      ...(terminal && { output: process.stderr }),
    });
    let earlier: Promise<void> = Promise.resolve();
    lines.on('line', (line) => {
      earlier = earlier.then(() => answer(line.trim())).catch(failure.reject);
    });
    lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  };

  return {
    failed: failure.promise,
    async show(instance) {
      id = instance.id;
      const found = await instances.passkey(id, call);
      if (!found.ok) return null;
      checkShape(service.url, found, reply(passkeyShape));
      const step = found.data;
      if (step.step !== shown?.step || step.script !== shown.script || step.code !== shown.code) {
        shown = step;
        if (output.isJson) output.result({ data: { ...instance, passkey: step } }, '');
        else output.say(textOf(step));
        read();
      }
      return new Date(step.expires_at);
    },
    close() {
      lines?.close();
      lines = null;
    },
  };
}

function textOf({ step, page, script, code }: PasskeyResource): string {
  switch (step) {
    case 'assertion':
      return [
        'The network links this number only with the passkey of its account. In a browser that can use the passkey:',
        `  1. Open ${page}. Do not scan the QR there.`,
        '  2. Open the console (F12, or Option+Command+I on a Mac), and paste this script. A browser may ask you to type "allow pasting" first.',
        '  3. Press Enter, then the button "Use passkey" on the page. If the browser shows a QR, scan it with the camera of the phone.',
        '  4. Copy the answer, paste it here, and press Enter. Keep the app open on the phone.',
        '',
        script ?? '',
        '',
      ].join('\n');
    case 'phone':
      return 'The passkey was accepted: keep the app open on the phone, which finishes the linking.';
    case 'confirmation':
      return `Does the phone show ${code}? Type yes or no, and press Enter.`;
  }
}

/** Null unless the line is a JSON object. The service checks the rest. */
function readAnswer(line: string): PasskeyAnswerInput | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as PasskeyAnswerInput)
      : null;
  } catch {
    return null;
  }
}
