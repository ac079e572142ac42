import { connect, type Socket } from 'node:net';

/** An answer as it came: what of it matters is looked at by the operation. */
export interface Answer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** A keep-alive connection that has one request under way at most. */
export interface Connection {
  send(request: string): void;
  close(): void;
}

/**
 * Opens a connection that reads answers with as little work as can be: the generator must not be what is
 * measured. Every answer that we expect says its length; another is an error.
 *
 * @param answered is called for each answer
 * @param failed is called once, if the connection ends or an answer cannot be read
 */
export async function openConnection(
  port: number,
  answered: (answer: Answer) => void,
  failed: (reason: string) => void,
): Promise<Connection> {
  let pending = '';
  let isOpen = true;
  const fail = (reason: string) => {
    if (!isOpen) return;
    isOpen = false;
    socket.destroy();
    failed(reason);
  };
  const read = (size: number, buffer: Uint8Array): boolean => {
    // One byte, one character: lengths in the head are lengths of this text.
    const text = Buffer.from(buffer.buffer, buffer.byteOffset, size).toString('latin1');
    pending = pending === '' ? text : pending + text;
    const headEnd = pending.indexOf('\r\n\r\n');
    if (headEnd < 0) return true;
    const head = pending.slice(0, headEnd);
    const length = lengthOf(head);
    if (length === null) {
      fail(`an answer does not say its length: ${head.slice(0, head.indexOf('\r\n'))}`);
      return false;
    }
    const end = headEnd + 4 + length;
    if (pending.length < end) return true;
    const body = pending.slice(headEnd + 4, end);
    const isMore = pending.length > end;
    pending = '';
    if (isMore) fail('more came than was asked for');
    else answered({ status: Number(head.slice(9, 12)), head, body });
    return true;
  };
  const socket: Socket = connect({
    port,
    host: '127.0.0.1',
    onread: { buffer: Buffer.allocUnsafe(64 * 1_024), callback: read },
  });
  socket.setNoDelay(true);
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  socket.on('error', ({ message }) => fail(message));
  socket.on('close', () => fail('the server closed the connection'));
  return {
    send: (request) => {
      socket.write(request, 'latin1');
    },
    close: () => {
      isOpen = false;
      socket.destroy();
    },
  };
}

const contentLength = /\r\ncontent-length: *(\d+)/i;

/** @returns the length of the body in bytes, or null if the head does not say it */
function lengthOf(head: string): number | null {
  const stated = contentLength.exec(head)?.[1];
  if (stated !== undefined) return Number(stated);
  return head.startsWith('HTTP/1.1 304') || head.startsWith('HTTP/1.1 204') ? 0 : null;
}
