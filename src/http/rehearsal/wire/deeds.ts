// Tells programs what went over the wire of their tenant.
import { numberFrom, someOf } from '../../../operations/json-schema.ts';
import { type Deed, deed } from '../deeds.ts';
import type { WireLog } from './recorder.ts';

/** GET /rehearsal/wire?after=…: the entries behind one, oldest first. */
export const wireDeeds = (wire: WireLog): readonly Deed[] => [
  deed({
    method: 'GET',
    path: '/wire',
    fields: someOf('Which entries', {
      after: numberFrom(0, Number.MAX_SAFE_INTEGER, 'The number of the entry behind which to begin', 0),
    }),
    run: ({ after = 0 }, { tenant }) => ({ entries: wire.entries(tenant.id, after) }),
  }),
];
