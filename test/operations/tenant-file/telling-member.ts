import type { FileMember } from '../../../src/operations/tenant-file/tenant-file.ts';

/** A member of whom everything is another than by default. */
export const member: FileMember = {
  email: 'Ada@Example.com',
  fullName: 'Ada "the first" Nilsen: #1 🦊',
  id: '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a02',
  userId: 4_711,
  memberNumber: 1,
  createdAt: '2020-02-29T12:00:00.001Z',
  passwordHash:
    '$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$dGFndGFndGFndGFndGFndGFndGFndGFndGFndGFndGE',
  disabled: true,
  userType: 'tenant_admin',
  emailVerified: true,
  nickName: 'no',
  phone: '+4791234567',
  avatar: 'https://example.com/a.png',
  language: 'nb',
  address: {
    line1: 'Storgata 1',
    city: 'Oslo',
    postCode: '0155',
    postOffice: 'Oslo S',
    country: 'NO',
    name: 'A. Nilsen',
    email: 'post@example.com',
  },
  phoneVerified: true,
  subscriptions: [
    {
      package: 'Everything',
      createdAt: '2025-12-01T00:00:00.000Z',
      activatedAt: '2026-01-01T00:00:00.000Z',
      expiresAt: '2036-01-01T00:00:00.000Z',
      cancelledAt: '2026-02-01T00:00:00.000Z',
      endedAt: '2026-03-01T00:00:00.000Z',
      properties: { seats: 2.5, motto: '1e3', renewedAt: '2026-01-31T23:59:59.999Z' },
    },
    {
      package: 'Free',
      createdAt: '2025-12-02T00:00:00.000Z',
      activatedAt: null,
      expiresAt: null,
      cancelledAt: null,
      endedAt: null,
      properties: {},
    },
    {
      package: 'Free',
      createdAt: '2025-12-03T00:00:00.000Z',
      activatedAt: '2035-01-01T00:00:00.000Z',
      expiresAt: '2036-01-01T00:00:00.000Z',
      cancelledAt: null,
      endedAt: '2026-01-03T00:00:00.000Z',
      properties: {},
    },
  ],
};
