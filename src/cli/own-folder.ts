// The data of the development service that a folder has: the commands that are run there mean it.
import { lstatSync } from 'node:fs';
import { join } from 'node:path';

/** What `memberdoor dev` keeps beside a project, unless in memory. */
export const ownFolderName = '.memberdoor';

const isGiven = (environment: NodeJS.ProcessEnv, setting: string) =>
  [setting, `${setting}_FILE`].some((name) => (environment[name] ?? '') !== '');

/**
 * @param user who runs the command: what another user put there could take what is sent to a service
 * @returns null where the folder has none, or the settings say which service is meant
 */
export function ownFolder(
  folder: string,
  environment: NodeJS.ProcessEnv,
  user: number | undefined,
): string | null {
  if (isGiven(environment, 'MEMBERDOOR_DATA') || isGiven(environment, 'MEMBERDOOR_DATABASE_URL')) return null;
  if (isGiven(environment, 'MEMBERDOOR_ENV') && environment.MEMBERDOOR_ENV !== 'development') return null;
  const own = join(folder, ownFolderName);
  const found = lstatSync(own, { throwIfNoEntry: false });
  return found?.isDirectory() && (user === undefined || found.uid === user) ? own : null;
}
