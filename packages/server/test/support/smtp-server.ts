import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import type { SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';
import { elapsing } from '@trunkline/test-support';

interface Email {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and text, as it came, but for quoted-printable line ends. */
  readonly source: string;
}

export interface SmtpServer {
  /** As in `SMTP_URL`. */
  readonly url: string;
  /** What came in whole, accepted or not. */
  readonly emails: readonly Email[];
  /** What it says to the next emails; `hang` says nothing. */
  respondWith(how: 'take' | 'refuse' | 'hang'): void;
}

/** A real SMTP server on loopback, for one test. */
export async function startSmtpServer(options: SMTPServerOptions = {}): Promise<SmtpServer> {
  const emails: Email[] = [];
  let how: Parameters<SmtpServer['respondWith']>[0] = 'take';
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    // It does not wait for those that are left hanging.
    closeTimeout: elapsing(10),
    async onData(stream, { envelope }, done) {
      const source = await text(stream);
      emails.push({
        from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
        to: envelope.rcptTo.map(({ address }) => address),
        source: source.replaceAll('=\r\n', ''),
      });
      if (how === 'take') done();
      if (how === 'refuse') done(Object.assign(new Error('try again'), { responseCode: 451 }));
    },
    ...options,
  });
  server.on('error', () => undefined); // clients that are killed
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  onTestFinished(() => new Promise<void>((resolve) => server.close(resolve)));
  const { port } = listening.address() as AddressInfo; // it listens on TCP
  return {
    url: `smtp://127.0.0.1:${port}`,
    emails,
    respondWith(next) {
      how = next;
    },
  };
}
