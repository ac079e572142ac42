// What is read of a database from outside the service, without changing it.
import { migrations, migrationsOfPostgres } from '../../db/migrations/index.ts';
import type { TenantRow } from './schema.ts';

/** What a database holds that its operator may have to mend. */
export interface DatabaseFacts {
  /** The migrations that made it, in order. */
  readonly schema: readonly string[];
  /** ms; the newest line of the audit, null if there is none */
  readonly newestEventAt: number | null;
  readonly tenants: readonly TenantFacts[];
  readonly doubles: readonly DoubleFacts[];
}

export type TenantFacts = Readonly<Pick<TenantRow, 'issuer' | 'host' | 'disabledAt'>>;

/** A name that several products, or packages, of one tenant have. */
export interface DoubleFacts {
  readonly host: string;
  readonly noun: 'packages' | 'products';
  readonly name: string;
  readonly ids: readonly number[];
}

const migrationsOf = { sqlite: migrations, postgres: migrationsOfPostgres };

/** The migrations that a database lacks, and those of a newer version than this. */
export function schemaDifference(schema: readonly string[], engine: keyof typeof migrationsOf = 'sqlite') {
  const known = Object.keys(migrationsOf[engine]);
  return {
    missing: known.filter((name) => !schema.includes(name)),
    unknown: schema.filter((name) => !known.includes(name)),
  };
}
