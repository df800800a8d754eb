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
  /** Headers and text as received, without the soft line breaks of quoted-printable. */
  readonly source: string;
}

export interface SmtpServer {
  readonly url: string;
  /** The complete emails received, accepted or not. */
  readonly emails: readonly Email[];
  /** Sets the response to the next emails; `hang` sends no response. */
  respondWith(how: 'take' | 'refuse' | 'hang'): void;
}

/** A real SMTP server on loopback, for one test. */
export async function startSmtpServer(options: SMTPServerOptions = {}): Promise<SmtpServer> {
  const emails: Email[] = [];
  let how: Parameters<SmtpServer['respondWith']>[0] = 'take';
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    // Does not wait for connections left hanging.
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
  server.on('error', () => undefined); // killed clients cause errors
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  onTestFinished(() => new Promise<void>((resolve) => server.close(resolve)));
  const { port } = listening.address() as AddressInfo; // the server listens on TCP
  return {
    url: `smtp://127.0.0.1:${port}`,
    emails,
    respondWith(next) {
      how = next;
    },
  };
}
