import type { FileMember, FileTenant, TenantFile } from '../../../src/operations/tenant-file/tenant-file.ts';

const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4"><path d="M0 0h4v4z"/></svg>';
const logo = `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;

/** A member of whom everything is another than by default. */
const member: FileMember = {
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

/** A tenant of which everything is another than by default, in the order in which an export writes it. */
const tenant: FileTenant = {
  issuer: 'https://login.telling.test:8443',
  name: 'Telling & Söhne',
  disabled: true,
  stageTenant: 'stage.telling.test',
  brandColor: '#0b7a4b',
  logo,
  languages: ['nb', 'en'],
  passwordLength: 14,
  returnOrigins: ['https://www.telling.test', 'https://shop.telling.test'],
  revocationListed: true,
  deletionCoolingOffSeconds: 3_600,
  limits: {
    pendingDeviceCodes: 7,
    deviceRequestsPerAddressAndMinute: null,
    deviceRequestsPerAddressAndHour: 8,
    deviceRequestsPerClientAndMinute: 9,
    failedGrantsPerClientAddressAndMinute: null,
    failedClientAuthenticationsPerAddressAndMinute: 15,
    wrongUserCodesPerMember: 16,
    wrongUserCodesPerAddress: 10,
    signUpsPerAddressAndHour: 11,
    signUpsPerAddressAndDay: 12,
    recoveriesPerAddressAndHour: 13,
    failedSignInsPerAddressAndMinute: 14,
    failedSignInsPerAccount: 17,
  },
  properties: [
    { key: 'motto', type: 'string' },
    { key: 'renewedAt', type: 'timestamp' },
    { key: 'seats', type: 'number' },
  ],
  products: ['Sport', 'News', '1987', 'yes'],
  packages: [
    {
      name: 'Everything',
      description: 'Every channel,\non every screen: *all* of it\n',
      price: { amount: 19_900, currency: 'NOK' },
      period: { unit: 'week', count: 3 },
      payment: 'invoice',
      needsAddress: true,
      offered: false,
      products: ['Sport', 'News', '1987'],
    },
    {
      name: 'Free',
      description: '- nothing',
      price: { amount: 0, currency: 'EUR' },
      period: { unit: 'day', count: 1 },
      payment: 'free',
      needsAddress: false,
      offered: true,
      products: [],
    },
  ],
  channels: [{ id: 'sport-live', name: 'Sport live', description: 'Matches', products: ['Sport', 'yes'] }],
  consents: [
    {
      id: 'newsletter',
      name: 'Newsletter',
      description: 'A mail',
      atSignUp: true,
      atCheckout: true,
      retired: true,
    },
  ],
  apis: [
    {
      identifier: 'https://api.telling.test/v1?x=1',
      name: 'no',
      scopes: { 'invoices:read': 'See "your" invoices: all', 'https://x/y': '1e3' },
      accessTokenAlgorithm: 'RS256',
    },
    { identifier: 'urn:telling:none', name: 'None', scopes: {}, accessTokenAlgorithm: 'ES256' },
  ],
  clients: [
    {
      clientId: 'telling',
      name: 'null',
      type: 'confidential',
      disabled: true,
      secretHash: [
        'x3Xnt1ft5jDNCqERO9ECZhqziCnKUqZCKreChi8mhkY',
        '-3Xnt1ft5jDNCqERO9ECZhqziCnKUqZCKreChi8mhkY',
      ],
      logo,
      redirectUris: ['https://app.telling.test/callback?x=1&y=%20', 'com.telling.app:/callback'],
      postLogoutRedirectUris: ['https://app.telling.test/'],
      webOrigins: ['https://app.telling.test'],
      signupDisabled: true,
      thirdParty: true,
      apis: ['https://api.telling.test/v1?x=1', 'urn:telling:none'],
      accessTokenAlgorithm: 'RS256',
      idTokenAlgorithm: 'ES256',
      claimsInIdToken: true,
      accessTokenSeconds: 600,
      refreshTokenIdleSeconds: 601,
      refreshTokenAbsoluteSeconds: 602,
      replayWindowSeconds: 30,
      signInsPerMember: 9,
      pushedRequests: 'required',
      deviceFlow: true,
    },
    {
      clientId: 'tv',
      name: 'TV',
      type: 'public',
      disabled: false,
      logo: null,
      redirectUris: [],
      postLogoutRedirectUris: [],
      webOrigins: [],
      signupDisabled: false,
      thirdParty: false,
      apis: [],
      accessTokenAlgorithm: 'ES256',
      idTokenAlgorithm: 'RS256',
      claimsInIdToken: false,
      accessTokenSeconds: 3_600,
      refreshTokenIdleSeconds: 7_776_000,
      refreshTokenAbsoluteSeconds: 31_536_000,
      replayWindowSeconds: 0,
      signInsPerMember: 100,
      pushedRequests: 'off',
      deviceFlow: true,
    },
  ],
  members: [member],
};

/** The tenant on which it is tried first. */
const stage: FileTenant = {
  issuer: 'https://stage.telling.test',
  name: 'Stage',
  apis: tenant.apis ?? [],
  clients: (tenant.clients ?? []).map((client) => ({ ...client, disabled: false })),
};

/** A file in which every field tells. */
export const telling: TenantFile = { tenants: [tenant, stage] };

/** The same entries, of which nothing is said that can be left out. */
export const untold: TenantFile = {
  tenants: [
    {
      issuer: tenant.issuer,
      name: 'Untold',
      properties: tenant.properties ?? [],
      products: tenant.products ?? [],
      packages: (tenant.packages ?? []).map(({ name, period }) => ({
        name,
        period: { ...period, count: 2 },
        price: { amount: 0, currency: 'SEK' },
        payment: 'free',
        products: [],
      })),
      channels: [{ id: 'sport-live', name: 'Untold', products: [] }],
      consents: [{ id: 'newsletter', name: 'Untold' }],
      apis: (tenant.apis ?? []).map(({ identifier }) => ({ identifier, name: 'Untold' })),
      clients: [
        {
          clientId: 'telling',
          name: 'Untold',
          type: 'confidential',
          secretHash: 'z3Xnt1ft5jDNCqERO9ECZhqziCnKUqZCKreChi8mhkY',
        },
        { clientId: 'tv', name: 'Untold', type: 'public' },
      ],
      members: [
        {
          email: 'ada@example.com',
          fullName: 'Untold',
          id: String(member.id),
          userId: Number(member.userId),
          memberNumber: Number(member.memberNumber),
          createdAt: String(member.createdAt),
          passwordHash: String(member.passwordHash),
          subscriptions: (member.subscriptions ?? []).map(({ properties: _, ...rest }) => rest),
        },
      ],
    },
    { issuer: stage.issuer, name: 'Stage', apis: stage.apis ?? [], clients: stage.clients ?? [] },
  ],
};
