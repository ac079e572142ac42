import { it } from 'vitest';

/** A test of what SQLite alone has, in a file whose other tests are of any engine. */
export const itOfSqlite = it.skipIf(process.env.TEST_ENGINE === 'postgres');
