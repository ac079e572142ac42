// Every command that is no operation, in the order of the help text.
import type { Command } from '../command.ts';
import { backup, restoreBackup, restored } from './backup.ts';
import { newKeys, reencryptAll } from './keys.ts';
import { move } from './move.ts';
import { doctor, healthcheck, init, start } from './service.ts';
import { apply, configCheck, exportTenants } from './tenant-file.ts';

export const commands: readonly Command[] = [
  start,
  init,
  backup,
  restoreBackup,
  restored,
  move,
  reencryptAll,
  newKeys,
  doctor,
  healthcheck,
  apply,
  exportTenants,
  configCheck,
];
