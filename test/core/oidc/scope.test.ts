import { describe, expect, it } from 'vitest';
import { readScope, scopeCovers, scopeIncludes } from '../../../src/core/oidc/scope.ts';
import { consentCovers } from '../../../src/core/oidc/scope-consent.ts';
import { now } from '../../support/records/records.ts';

describe('scope (decision 10)', () => {
  it.each([
    ['openid offline_access', 'openid offline_access', 'known values are kept'],
    ['email openid', 'openid email', 'the order is ours, so that equal scopes are equal texts'],
    ['openid openid', 'openid', 'each is kept once'],
    ['openid admin read:all', 'openid', 'unknown ones are dropped'],
    ['openid  email ', 'openid email', 'spaces too many do not matter'],
    ['OpenID', '', 'the case matters (RFC 6749 §3.3)'],
    ['openid\temail', '', 'only a space parts two values'],
    ['', '', 'nothing is nothing'],
    [
      'subscriptions address phone email profile offline_access openid',
      'openid offline_access profile email phone address subscriptions',
      'seven are known',
    ],
  ])('"%s" is read as "%s": %s', (requested, scope) => {
    expect(readScope(requested)).toBe(scope);
  });

  it('a value is included as a whole word alone', () => {
    expect(scopeIncludes('openid email', 'email')).toBe(true);
    expect(scopeIncludes('openid email', 'profile')).toBe(false);
    expect(scopeIncludes('openid email_other', 'email')).toBe(false);
  });

  it('RFC 6749 §6: a scope covers itself and every narrower one, and no wider one', () => {
    expect(scopeCovers('openid email', 'openid email')).toBe(true);
    expect(scopeCovers('openid email', 'email')).toBe(true);
    expect(scopeCovers('openid email', '')).toBe(true);
    expect(scopeCovers('openid email', 'openid phone')).toBe(false);
    expect(scopeCovers('', 'openid')).toBe(false);
  });
});

describe('consent to a scope (decision 14)', () => {
  const consent = {
    tenantId: 'tenant-a',
    memberId: 'member-1',
    clientId: 'client-1',
    scope: 'openid profile email',
    resources: '',
    grantedAt: now,
  };

  it('covers the same scope and a narrower one', () => {
    expect(consentCovers(consent, 'openid profile email', 0)).toBe(true);
    expect(consentCovers(consent, 'openid email', 0)).toBe(true);
  });

  it('does not cover a wider one, nor does none', () => {
    expect(consentCovers(consent, 'openid phone', 0)).toBe(false);
    expect(consentCovers(null, 'openid', 0)).toBe(false);
  });

  it('where it must be of this flow, one of its first moment counts, and one before does not', () => {
    expect(consentCovers(consent, 'openid', now)).toBe(true);
    expect(consentCovers(consent, 'openid', now + 1)).toBe(false);
  });
});
