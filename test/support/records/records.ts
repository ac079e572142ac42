import type { Client } from '../../../src/core/client.ts';
import {
  type AuthorizationCode,
  issueAuthorizationCode,
} from '../../../src/core/grants/authorization-code.ts';
import { beginSignIn, type SignIn } from '../../../src/core/grants/sign-in.ts';
import { sha256 } from '../../../src/core/hash.ts';
import type { Member } from '../../../src/core/members/member.ts';
import type { Passkey } from '../../../src/core/members/passkey.ts';
import type { Session } from '../../../src/core/session.ts';
import type { Tenant } from '../../../src/core/tenant.ts';
import { tenantLimits } from '../../../src/core/tenant-limits.ts';
import { plainJpeg, plainLogo } from '../members/pages/logos.ts';

/** The moment at which the records below are made. */
export const now = Date.UTC(2026, 0, 15, 12);

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

// The pair of RFC 7636, appendix B.
export const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
export const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

/** The tenant of this letter, with every field telling. */
export function tenantRecord(letter: 'a' | 'b', changes: Partial<Tenant> = {}): Tenant {
  return {
    id: `tenant-${letter}`,
    name: `Tenant ${letter.toUpperCase()}`,
    issuer: `https://${letter}.test`,
    host: `${letter}.test`,
    brandColor: '#1f5fbf',
    logo: plainLogo,
    favicon: plainLogo,
    coverText: 'Every match, on every screen.',
    coverPicture: plainJpeg,
    corners: 'round',
    font: 'serif',
    supportAddress: 'help@example.test',
    termsUrl: 'https://example.test/terms',
    privacyUrl: 'https://example.test/privacy',
    development: false,
    limits: { ...tenantLimits, pendingDeviceCodes: 12, wrongUserCodesPerAddress: null },
    returnOrigins: ['https://app.test', 'https://www.app.test:8443'],
    languages: ['nb', 'en'],
    passwordLength: 14,
    passkeys: 'on',
    emailCodes: 'beside',
    secondFactor: 'required',
    adminSecondFactor: 'optional',
    trustedBrowserDays: 7,
    deviceFactor: 'fresh',
    oldSystemUrl: 'https://old.a.test/ask',
    revocationListed: true,
    invoicing: {
      payee: 'A Ltd',
      account: 'NO93 8601 1117 947',
      bic: 'DNBANOKK',
      note: 'VAT 12',
      dueDays: 30,
    },
    clientRegistration: 'token',
    clientMetadataDocuments: 'listed',
    clientMetadataHosts: ['app.test', 'app.test:8443'],
    unverifiedOfflineAccess: true,
    stageTenantId: null,
    disabledAt: null,
    ...changes,
  };
}

/** A confidential client of tenant-a, with every field telling; its secret is `the secret`. */
export function clientRecord(changes: Partial<Client> = {}): Client {
  return {
    tenantId: 'tenant-a',
    clientId: 'client-1',
    origin: 'operator',
    name: 'Client One',
    claimedName: null,
    logo: null,
    type: 'confidential',
    secrets: [{ hash: sha256('the secret'), createdAt: now - hour }],
    authenticationMethod: 'client_secret',
    jwks: null,
    jwksUri: null,
    signingAlgorithms: ['ES256', 'PS256', 'EdDSA', 'RS256'],
    redirectUris: ['https://app.test/cb', 'https://app.test/cb2'],
    postLogoutRedirectUris: ['https://app.test/out', 'https://app.test/out2'],
    backchannelLogoutUri: 'https://app.test/signed-out',
    webOrigins: ['https://app.test'],
    apis: ['https://api.app.test', 'urn:app:other'],
    clientCredentials: true,
    serviceScopes: ['app:read'],
    signupDisabled: false,
    deviceFlow: true,
    thirdParty: false,
    accessTokenAlgorithm: 'RS256',
    idTokenAlgorithm: 'ES256',
    claimsInIdToken: true,
    claimsParameter: true,
    accessTokenSeconds: 1_800,
    refreshTokenIdle: 30 * day,
    refreshTokenAbsolute: 100 * day,
    replayWindow: 0,
    signInsPerMember: 1_000,
    profile: 'none',
    pushedRequests: 'allowed',
    requestObjects: 'off',
    signedResponses: true,
    introspection: false,
    dpop: 'allowed',
    dpopNonce: true,
    disabledAt: null,
    ...changes,
  };
}

/** A member of tenant-a, with every field telling. */
export function memberRecord(changes: Partial<Member> = {}): Member {
  return {
    id: 'member-1',
    tenantId: 'tenant-a',
    userId: 101,
    memberNumber: 9_001,
    externalId: null,
    email: 'Ada@Example.test',
    emailVerified: true,
    fullName: 'Ada Berg',
    nickName: 'ada',
    phone: '+4790000001',
    phoneVerified: false,
    avatar: 'https://example.test/ada.png',
    locale: 'nb',
    userType: 'tenant_admin',
    status: 'active',
    address: {
      line1: 'Storgata 1',
      city: 'Ås',
      postCode: '1430',
      postOffice: 'ÅS',
      country: 'NO',
      name: 'A. Berg',
      email: 'post@example.test',
    },
    createdAt: now - 50 * day,
    updatedAt: now - 20 * day,
    deletionDueAt: null,
    ...changes,
  };
}

/** What both APIs of members tell of memberRecord(), whatever the member has (contract). */
export const memberBasics = {
  id: 'member-1',
  fullName: 'Ada Berg',
  email: 'Ada@Example.test',
  userType: 'tenant_admin',
  userId: 101,
  phone: '+4790000001',
  avatar: 'https://example.test/ada.png',
  nickName: 'ada',
  memberNumber: 9_001,
  address: {
    line1: 'Storgata 1',
    city: 'Ås',
    postCode: '1430',
    postOffice: 'ÅS',
    country: 'NO',
    name: 'A. Berg',
    email: 'post@example.test',
  },
} as const;

/** An active session of member-1, begun an hour ago and used a minute ago. */
export function sessionRecord(changes: Partial<Session> = {}): Session {
  return {
    id: 'session-1',
    tenantId: 'tenant-a',
    memberId: 'member-1',
    kind: 'member',
    secretHash: sha256('cookie-1'),
    state: 'active',
    authenticatedAt: now - 30 * minute,
    createdAt: now - hour,
    lastUsedAt: now - minute,
    userAgent: 'Firefox',
    ipAddress: '192.0.2.1',
    amr: 'pwd otp mfa',
    strongAt: now - 30 * minute,
    ...changes,
  };
}

/** A passkey of member-1, made an hour ago and used a minute ago. */
export function passkeyRecord(changes: Partial<Passkey> = {}): Passkey {
  return {
    id: 'passkey-1',
    tenantId: 'tenant-a',
    memberId: 'member-1',
    credentialId: 'credential-1',
    publicKey: 'cHVibGljIGtleQ',
    counter: 3,
    isSynced: true,
    isBackedUp: true,
    transports: 'internal hybrid',
    aaguid: 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4',
    name: 'Phone',
    createdAt: now - hour,
    lastUsedAt: now - minute,
    userAgent: 'Firefox',
    ipAddress: '192.0.2.1',
    ...changes,
  };
}

/** A code just issued to client-1 for member-1, whose verifier is `verifier`. */
export function codeRecord(changes: Partial<AuthorizationCode> = {}): AuthorizationCode {
  const facts = {
    hash: sha256('the code'),
    tenantId: 'tenant-a',
    clientId: 'client-1',
    memberId: 'member-1',
    sessionId: 'session-1',
    redirectUri: 'https://app.test/cb',
    codeChallenge: challenge,
    scope: 'openid offline_access email',
    resources: '',
    nonce: 'the nonce',
    claims: '{"id_token":["email"],"userinfo":[]}',
    dpopJkt: null,
    authenticatedAt: now - 30 * minute,
  };
  return { ...issueAuthorizationCode(facts, now), ...changes };
}

/** An active sign-in of member-1 at client-1, begun an hour ago, whose third refresh token is current. */
export function signInRecord(changes: Partial<SignIn> = {}): SignIn {
  const facts = {
    id: 'sign-in-1',
    tenantId: 'tenant-a',
    clientId: 'client-1',
    memberId: 'member-1',
    sessionId: 'session-1',
    scope: 'openid offline_access email',
    resources: '',
    authenticatedAt: now - 90 * minute,
    dpopJkt: null,
  };
  return { ...beginSignIn(facts, now - hour), generation: 3, rotatedAt: now - minute, ...changes };
}
