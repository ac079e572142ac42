import type { Import } from '../../../src/core/import/import.ts';

/** A file of members that came in, with one line that was refused. */
export const importRecord = (id: string, tenantId: string, more: Partial<Import> = {}): Import => ({
  id,
  tenantId,
  fileName: 'members.csv',
  fileHash: 'hash',
  fileBytes: 200,
  received: 200,
  options: { columns: {}, firebase: null, format: 'own', existing: 'skip', mail: false, slowHashes: false },
  head: { format: 'own', layout: 'lines', delimiter: '', columns: [], begins: { offset: 0, line: 1 } },
  work: 'none',
  trial: null,
  readTo: 200,
  line: 4,
  added: 2,
  changed: 0,
  skipped: 0,
  refused: 1,
  actorKind: 'operator',
  actorId: null,
  actorAddress: null,
  createdAt: 1_700_000_000_000,
  startedAt: 1_700_000_000_000,
  endedAt: 1_700_000_060_000,
  failure: null,
  ...more,
});
