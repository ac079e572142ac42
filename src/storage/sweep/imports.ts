// What is forgotten of members who moved in: their files, and who is not to come back.
import { importMemory, uploadMemory } from '../../core/import/limits.ts';
import { over, type Sweep } from './sweep.ts';

/** @param now ms */
export function forgottenImports(tenantId: string, now: number): readonly Sweep[] {
  return [
    // The lines first, which name their import.
    over('importRefusals', ['importId', 'line'], (rows) =>
      rows.where('importId', 'in', (eb) =>
        eb
          .selectFrom('imports')
          .select('id')
          .where('tenantId', '=', tenantId)
          .where('createdAt', '<', now - importMemory),
      ),
    ),
    // The file of one that was left; what is at work keeps its own.
    over('importParts', ['importId', 'start'], (rows) =>
      rows.where('importId', 'in', (eb) =>
        eb
          .selectFrom('imports')
          .select('id')
          .where('tenantId', '=', tenantId)
          .where('createdAt', '<', now - uploadMemory)
          .where('work', 'not in', ['check', 'take']),
      ),
    ),
    // A tenant that asks no old system any more need not know who was here (decision 55).
    over('movedAddresses', ['tenantId', 'addressHash'], (rows) =>
      rows
        .where('tenantId', '=', tenantId)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('tenants').select('id').where('id', '=', tenantId).where('oldSystemUrl', 'is', null),
          ),
        ),
    ),
    over('imports', ['id'], (rows) =>
      rows.where('tenantId', '=', tenantId).where('createdAt', '<', now - importMemory),
    ),
  ];
}
