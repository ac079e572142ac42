// What the command and the service agree on for the socket between them.
import { join } from 'node:path';

/** The socket through which the command speaks to the running service. */
export function socketPath(dataFolder: string): string {
  return join(dataFolder, 'memberdoor.sock');
}

/** Below this address the socket serves what only the command asks for. */
export const localUrl = '/local';

/** The header by which the command says who runs it, percent-encoded. */
export const userHeader = 'x-memberdoor-user';
