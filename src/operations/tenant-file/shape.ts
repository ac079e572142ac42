// Checks the shape of a tenant file.
import { tenantFile } from '../../core/operators/limits.ts';
import type { Problem } from '../../core/problem.ts';
import { compileCheck, type SchemaCheck } from '../schema-problems.ts';
import { tenantFileSchema } from './schema.ts';

/** Made when the first file comes: most starts of the service see none. */
let compiled: SchemaCheck | null = null;

/** Everything in which a value is no tenant file by its shape alone; values are never repeated. */
export function misshapenIn(value: unknown): readonly Problem[] {
  compiled ??= compileCheck(tenantFileSchema, { useDefaults: false, guesses: tenantFile.problems });
  return compiled(value);
}
