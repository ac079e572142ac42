// Reads requests no faster than their answers are taken (F9).
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { answersInHand } from '../../core/limits.ts';
import type { Connections } from './connections.ts';

/** Every head of a request ends with it. */
const blankLine = Buffer.from('\r\n\r\n');

/**
 * Reads each connection request by request, and not at all while it has `answersInHand` answers in hand: what else it
 * sent ahead stays with the system, and then with the sender.
 *
 * Node too stops reading where answers pile up, but it parses what it has read to the end: 64 KB, a thousand requests,
 * whose objects outlive the young generation and fill the heap. So the parser's listener is called with pieces by a
 * listener of ours in its place: no piece holds the heads of two requests whole.
 */
export function readAtPace(server: Server, connections: Connections): void {
  const held = new WeakSet<Socket>();
  connections.onAnswered(({ socket, answers }) => {
    // In a turn of its own: at once, all that was read would be answered in this one, and others would wait for it.
    if (answers < answersInHand && held.delete(socket)) setImmediate(() => readOn(socket));
  });
  server.on('connection', (socket) => {
    const connection = connections.of(socket);
    const [parse, another] = socket.listeners('data') as ((piece: Buffer) => void)[];
    if (connection === undefined || parse === undefined || another !== undefined) {
      throw new Error('a connection is not read in the way that this Node is known for');
    }
    const read = (chunk: Buffer) => {
      let at = 0;
      // The parser pauses the socket as well, for reasons of its own; what follows a last answer is not read.
      while (at < chunk.length && !socket.isPaused() && !socket.writableEnded && !socket.destroyed) {
        if (connection.answers >= answersInHand) {
          held.add(socket);
          socket.pause();
        } else {
          const end = endOfPiece(chunk, at);
          // Most requests come alone.
          parse.call(socket, at === 0 && end === chunk.length ? chunk : chunk.subarray(at, end));
          at = end;
        }
      }
      if (at < chunk.length && socket.isPaused()) socket.unshift(chunk.subarray(at));
    };
    socket.removeListener('data', parse);
    socket.on('data', read);
  });
}

/** Where a piece ends: behind its first head, unless no other head ends in what is left. */
function endOfPiece(chunk: Buffer, from: number): number {
  const head = chunk.indexOf(blankLine, from);
  const isLast = head < 0 || chunk.indexOf(blankLine, head + blankLine.length) < 0;
  return isLast ? chunk.length : head + blankLine.length;
}

/** Answers that wait for the other side to take them are no longer in hand, but nothing more is read beside them. */
function readOn(socket: Socket): void {
  if (socket.writableNeedDrain) socket.once('drain', () => socket.resume());
  else socket.resume();
}
