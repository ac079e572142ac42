/** Who runs the command, as the system says it: for the audit, which else would know the service's own user alone. */
import { userInfo } from 'node:os';
import type { Environment } from './tenant-file.ts';

/**
 * The name of the user who ran sudo, or logged in, or of the process's own user. A user who may run the command
 * may do everything, so the name is told and not proven.
 */
export function systemUser({ SUDO_USER, LOGNAME }: Environment): string {
  return [SUDO_USER, LOGNAME].find((name) => name !== undefined && name !== '') ?? ownUser();
}

function ownUser(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container the number may have no name.
    return String(process.getuid?.() ?? 'unknown');
  }
}
