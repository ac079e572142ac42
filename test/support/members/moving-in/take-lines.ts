import { readPiece } from '../../../../src/core/import/format.ts';
import { importEntries, type LineOutcome } from '../../../../src/operations/admin/imports/entries.ts';
import { tenantOf } from '../../device.ts';
import type { TestService } from '../../service.ts';

const head = {
  format: 'own',
  layout: 'lines',
  delimiter: '',
  columns: [],
  begins: { offset: 0, line: 1 },
} as const;

/** Takes lines in by one transaction, as a batch of a file: `existing` are members who are there. */
export function takeLines(
  service: TestService,
  host: string,
  lines: readonly string[],
  existing: 'skip' | 'update' = 'skip',
): Promise<readonly LineOutcome[]> {
  const { store, deps, clock } = service;
  const tenant = tenantOf(service, host);
  const options = { existing, mail: false, slowHashes: false };
  const entries = lines.map((text, at) => {
    const read = readPiece({ bytes: Buffer.from(text) }, head, { columns: {}, firebase: null });
    return { line: at + 1, read: read.ok ? { ...read, hash: null } : read };
  });
  return store.transaction((tx) =>
    importEntries({ ...deps, tx, tenant, now: clock.now() }, { options }, entries),
  );
}
