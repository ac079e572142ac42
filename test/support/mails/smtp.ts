import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { onTestFinished } from 'vitest';
import type { Certificate } from '../proxy/certificate.ts';

/** A message as it came over the wire. */
export interface ReceivedMail {
  readonly from: string;
  /** All recipients of the envelope. */
  readonly to: readonly string[];
  readonly user: string | undefined;
  readonly raw: string;
  readonly message: Email;
}

/** A mail server on a loopback port. */
export interface TestSmtp {
  readonly port: number;
  /** Its address, with a name and a password if it asks for them. */
  readonly url: string;
  readonly received: readonly ReceivedMail[];
  /** Refuses every recipient from now on with a reply such as `451 4.3.0 later`; null takes them again. */
  refuse(reply: string | null): void;
  stop(): Promise<void>;
}

/**
 * @param port 0 takes any
 * @param certificate what STARTTLS shows; without one the server has no TLS
 */
export async function startSmtp(
  account: { readonly user: string; readonly password: string } | null = null,
  port = 0,
  certificate: Certificate | null = null,
): Promise<TestSmtp> {
  const received: ReceivedMail[] = [];
  let refusal: string | null = null;
  const server = new SMTPServer({
    ...certificate,
    disabledCommands: [...(account === null ? ['AUTH'] : []), ...(certificate === null ? ['STARTTLS'] : [])],
    allowInsecureAuth: true,
    authOptional: account === null,
    logger: false,
    onAuth({ username, password }, _session, done) {
      if (username === account?.user && password === account?.password) done(null, { user: username });
      else done(new Error('wrong credentials'));
    },
    onRcptTo({ address }, _session, done) {
      if (refusal === null) return done();
      const [code, ...words] = refusal.split(' ');
      done(Object.assign(new Error(`${words.join(' ')} <${address}>`), { responseCode: Number(code) }));
    },
    onData(stream, { envelope, user }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        const raw = Buffer.concat(chunks);
        received.push({
          from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }) => address),
          user: typeof user === 'string' ? user : undefined,
          raw: raw.toString(),
          message: await PostalMime.parse(raw),
        });
        done();
      });
    },
  });
  await new Promise<void>((resolve, reject) => {
    // One that comes later is a caller who went away.
    server.on('error', reject);
    server.listen(port, '127.0.0.1', () => resolve());
  });
  const address = server.server.address();
  const used = typeof address === 'object' && address !== null ? address.port : 0;
  let isOpen = true;
  const stop = async () => {
    if (!isOpen) return;
    isOpen = false;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
  };
  onTestFinished(stop);
  const credentials =
    account === null ? '' : `${encodeURIComponent(account.user)}:${encodeURIComponent(account.password)}@`;
  return {
    port: used,
    url: `smtp://${credentials}127.0.0.1:${used}`,
    received,
    refuse(reply) {
      refusal = reply;
    },
    stop,
  };
}
