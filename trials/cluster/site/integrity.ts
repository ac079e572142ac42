import pg from 'pg';
import { halves } from '../../faults/integrity.ts';

/** Looks into the database of a service, past it. @returns what is wrong with it, each in one line */
export async function examineDatabase(url: string): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const problems: string[] = [];
    for (const [what, query] of Object.entries(halves)) {
      const { rowCount } = await client.query(`${query} limit 1`);
      if (rowCount !== 0) problems.push(`half a transaction: ${what}`);
    }
    return problems;
  } finally {
    await client.end();
  }
}

/** When what was issued for the longest is over (ms). */
export async function latestExpiries(
  url: string,
): Promise<{ readonly code: number; readonly deviceCode: number }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const latest = async (table: string) =>
    Number((await client.query(`select max("expiresAt") as latest from "${table}"`)).rows[0].latest);
  try {
    return { code: await latest('authorizationCodes'), deviceCode: await latest('deviceCodes') };
  } finally {
    await client.end();
  }
}
