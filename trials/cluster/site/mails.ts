// The mail server of a trial, which keeps every mail.
import { SMTPServer } from 'smtp-server';

export interface Mails {
  readonly port: number;
  /** How many mails went to an address. */
  count(email: string): number;
  /** The newest mail to an address; null as long as there is none. */
  to(email: string): Buffer | null;
  /** Answers so many more mails, and has those behind them wait. @returns when the first of them waits */
  holdAfter(count: number): Promise<void>;
  /** Answers all mails again. */
  letGo(): void;
  close(): Promise<void>;
}

/** @param isLate whether mails to an address are to be sent again later, over and over */
export async function openMails(isLate: (email: string) => boolean = () => false): Promise<Mails> {
  const received = new Map<string, Buffer[]>();
  let answered = Number.POSITIVE_INFINITY;
  let held: (() => void)[] = [];
  let reached = Promise.withResolvers<void>();
  const answer = (done: () => void) => {
    if (answered > 0) {
      answered -= 1;
      done();
      return;
    }
    held.push(done);
    reached.resolve();
  };
  const goOn = (count: number) => {
    answered = count;
    const waiting = held;
    held = [];
    for (const done of waiting) answer(done);
  };
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
        answer(done);
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
    holdAfter: (count) => {
      reached = Promise.withResolvers();
      goOn(count);
      return reached.promise;
    },
    letGo: () => goOn(Number.POSITIVE_INFINITY),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}
