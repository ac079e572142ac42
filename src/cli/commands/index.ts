// Every command that is no operation, in the order of the help text.
import type { Command } from '../command.ts';
import { backup, restoreBackup, restored } from './backup.ts';
import { doctor, healthcheck, init } from './doctor.ts';
import { exportMembers, importMembers } from './import.ts';
import { newKeys, reencryptAll } from './keys.ts';
import { move } from './move.ts';
import { serviceCommands } from './service.ts';
import { apply, configCheck, exportTenants } from './tenant-file.ts';
import { why } from './why.ts';

export const commands: readonly Command[] = [
  ...serviceCommands,
  init,
  backup,
  restoreBackup,
  restored,
  move,
  reencryptAll,
  newKeys,
  doctor,
  healthcheck,
  why,
  apply,
  exportMembers,
  exportTenants,
  importMembers,
  configCheck,
];
