import { expect, it } from 'vitest';
import { apply } from '../../../src/storage/apply.ts';
import { createPendingCodes } from '../../../src/storage/memory/pending-codes.ts';
import { auditedStore } from '../../../src/storage/operators/audited.ts';
import type { Tx } from '../../../src/storage/store.ts';
import { deviceCodeRecord } from '../../support/records/device-code-record.ts';
import { now } from '../../support/records/records.ts';
import { gated } from '../../support/run/gated.ts';

it('F8: codes that were taken back with a shared transaction fill no network’s share', async () => {
  const { store: own, direct } = await gated();
  const store = auditedStore(
    own,
    () => now,
    () => {},
  );
  const pending = createPendingCodes(
    () => now,
    own,
    (address) => address,
  );
  const most = 10;
  const insert = (tx: Tx, ipAddress: string) => {
    const code = deviceCodeRecord({ id: ipAddress, hash: ipAddress, userCodeHash: ipAddress, ipAddress });
    return apply(tx, [{ write: 'insertDeviceCode', code }]);
  };
  const { tenantId, clientId } = deviceCodeRecord();
  const issue = async (tx: Tx, network: string): Promise<boolean> => {
    const asker = { tenantId, clientId, network };
    if (!(await pending.hasRoom(tx, asker, most, async () => false))) return false;
    await insert(tx, network);
    pending.add(tx, asker);
    return true;
  };
  // From here on networks share what is left: each may have one.
  await direct.transaction(async (tx) => {
    for (let taken = 0; taken < most / 2; taken += 1) await insert(tx, `192.0.2.${taken}`);
  });
  let runs = 0;
  const failing = async (tx: Tx): Promise<boolean> => {
    const isIssued = await issue(tx, '203.0.113.2');
    runs += 1;
    if (runs === 1) throw new RangeError('takes back the whole');
    return isIssued;
  };
  const pieces = [(tx: Tx) => issue(tx, '203.0.113.1'), failing];
  expect(await Promise.all(pieces.map((piece) => store.transaction(piece)))).toEqual([true, true]);
  expect(runs).toBe(2);
});
