import { expect, it } from 'vitest';
import { listSurplusSignIns } from '../../../src/storage/grants/member-sign-ins.ts';
import { insertSignIn } from '../../../src/storage/grants/sign-in.ts';
import { planOf } from '../../support/queries/query-plan.ts';
import { clientRecord, now, signInRecord } from '../../support/records/records.ts';
import { storeWithMember } from '../../support/records/store.ts';

it('F10: sign-ins that are too many are looked for in the index alone, unless a member has so many with all clients', async () => {
  const store = await storeWithMember();
  await store.transaction((tx) => insertSignIn(tx, signInRecord()));
  const plan = (signInsPerMember: number) =>
    store.transaction((tx) =>
      planOf(tx, (listening) =>
        listSurplusSignIns(listening, clientRecord({ signInsPerMember }), 'member-1', now),
      ),
    );
  const index = 'SEARCH signIns USING COVERING INDEX signInsByMember (memberId=? AND state=?)';
  expect(await plan(2)).toEqual([index]);
  expect(await plan(1)).toEqual([
    index,
    'SEARCH signIns USING INDEX signInsByMember (memberId=? AND state=?)',
    'SEARCH sessions USING INDEX sqlite_autoindex_sessions_1 (id=?)',
  ]);
});
