import { describe, expect, it } from 'vitest';
import { memberData } from '../../../src/core/members/member-data.ts';
import {
  clientRecord,
  memberRecord,
  now,
  sessionRecord,
  signInRecord,
} from '../../support/records/records.ts';

describe('the file of a member’s data (pages 18)', () => {
  const data = memberData({
    member: memberRecord({ deletionDueAt: now }),
    subscriptions: [],
    checkouts: [],
    invoices: [],
    consentChanges: [],
    signIns: [
      {
        signIn: signInRecord({ label: 'Mine' }),
        device: { name: 'Den', model: null },
        ipAddress: '192.0.2.7',
      },
      { signIn: signInRecord({ clientId: 'gone' }), device: null, ipAddress: '192.0.2.8' },
    ],
    sessions: [sessionRecord()],
    consents: [
      {
        tenantId: 'tenant-a',
        memberId: 'member-1',
        clientId: 'client-1',
        scope: 'openid email',
        grantedAt: now,
      },
    ],
    clients: [clientRecord()],
    exportedAt: now,
  });

  it('names apps as people know them, and by their id where they are gone', () => {
    expect(data.signIns.map(({ app, name, deviceName }) => ({ app, name, deviceName }))).toEqual([
      { app: 'Client One', name: 'Mine', deviceName: 'Den' },
      { app: 'gone', name: null, deviceName: null },
    ]);
    expect(data.consents).toEqual([
      { app: 'Client One', scope: 'openid email', grantedAt: '2026-01-15T12:00:00.000Z' },
    ]);
  });

  it('tells times in ISO 8601', () => {
    expect([data.exportedAt, data.details.deletionDueAt]).toEqual(Array(2).fill('2026-01-15T12:00:00.000Z'));
    expect(data.details.createdAt).toBe('2025-11-26T12:00:00.000Z');
  });

  it('W9: has no hash, no secret and no internal id in it', () => {
    const text = JSON.stringify(data);
    for (const secret of [
      sessionRecord().secretHash,
      'secretHash',
      'passwordHash',
      'tenant-a',
      'sign-in-1',
    ]) {
      expect(text).not.toContain(secret);
    }
  });
});
