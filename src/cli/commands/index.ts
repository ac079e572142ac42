// Every command that is no operation, in the order of the help text.
import type { Command } from '../command.ts';
import { apply } from './apply.ts';
import { backup } from './backup.ts';
import { configCheck } from './config-check.ts';
import { doctor } from './doctor.ts';
import { exportTenants } from './export.ts';
import { healthcheck } from './healthcheck.ts';
import { init } from './init.ts';
import { newKeys } from './new-keys.ts';
import { reencryptAll } from './reencrypt.ts';
import { restoreBackup } from './restore.ts';
import { start } from './start.ts';

export const commands: readonly Command[] = [
  start,
  init,
  backup,
  restoreBackup,
  reencryptAll,
  newKeys,
  doctor,
  healthcheck,
  apply,
  exportTenants,
  configCheck,
];
