import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import SQLite from 'better-sqlite3';
import type { Played } from './play.ts';
import type { SoakSite } from './site.ts';

/** Pino's number for an error. */
const errorLevels = ['error', 'fatal'];

/** Stops the service. @returns what is wrong with how it ends, its log and its database */
export async function closingProblems(site: SoakSite, { crashes }: Played): Promise<readonly string[]> {
  const problems: string[] = [];
  if (crashes === 0) {
    await site.server.stop();
    const code = await site.server.ended;
    if (code !== 0) problems.push(`SIGTERM ended the service with ${code}`);
  }
  await site.close();
  problems.push(...(await errorsIn(site.log)));
  const sqlite = new SQLite(site.database);
  const verdict = sqlite.pragma('quick_check(1)', { simple: true });
  sqlite.close();
  if (verdict !== 'ok') problems.push(`the database is damaged: ${verdict}`);
  return problems;
}

/** The errors in a log. */
async function errorsIn(log: string): Promise<readonly string[]> {
  const errors: string[] = [];
  for await (const line of createInterface({ input: createReadStream(log) })) {
    if (!line.startsWith('{')) continue;
    const { level, msg } = JSON.parse(line) as { readonly level: string; readonly msg: string };
    if (errorLevels.includes(level)) errors.push(`the log has an error: ${msg}`);
  }
  return errors;
}
