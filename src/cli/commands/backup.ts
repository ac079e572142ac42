import { resolve } from 'node:path';
import type { Config } from '../../config.ts';
import { backUp } from '../../operations/upkeep/backup.ts';
import { WrongUsage } from '../terminal.ts';

/** `memberdoor backup FILE`. @returns the exit code. @throws StartupError, WrongUsage */
export async function runBackup(words: readonly string[], { dataFolder }: Config): Promise<number> {
  const [file, ...rest] = words;
  if (file === undefined || rest.length > 0) {
    throw new WrongUsage(['memberdoor backup FILE names the file to write.']);
  }
  const { counts } = backUp(dataFolder, file);
  const held = Object.entries(counts).map(([table, count]) => `${table} ${count}`);
  process.stdout.write(`${resolve(file)} is written, read back and sound: ${held.join(', ')}.\n`);
  process.stdout.write('It is worth nothing without the master key, which is not in it.\n');
  return 0;
}
