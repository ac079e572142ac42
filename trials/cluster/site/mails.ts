// The mail server of a trial, which keeps every mail.
import { SMTPServer } from 'smtp-server';

export interface Mails {
  readonly port: number;
  /** How many mails went to an address. */
  count(email: string): number;
  /** The newest mail to an address; null as long as there is none. */
  to(email: string): Buffer | null;
  close(): Promise<void>;
}

/** @param isLate whether mails to an address are to be sent again later, over and over */
export async function openMails(isLate: (email: string) => boolean = () => false): Promise<Mails> {
  const received = new Map<string, Buffer[]>();
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    onRcptTo({ address }, _session, done) {
      done(isLate(address) ? Object.assign(new Error('4.3.0 later'), { responseCode: 451 }) : null);
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        for (const { address } of envelope.rcptTo) {
          received.set(address, [...(received.get(address) ?? []), Buffer.concat(chunks)]);
        }
        done();
      });
    },
  });
  // A process that is killed leaves its connection in the middle of a mail.
  server.on('error', () => {});
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve());
  });
  const address = server.server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    count: (email) => received.get(email)?.length ?? 0,
    to: (email) => received.get(email)?.at(-1) ?? null,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}
