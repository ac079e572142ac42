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
