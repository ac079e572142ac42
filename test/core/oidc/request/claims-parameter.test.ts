import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  grantedClaims,
  keepClaims,
  keptAuthentication,
  readClaims,
} from '../../../../src/core/oidc/request/claims-parameter.ts';

const read = (claims: unknown, acrValues?: string) => readClaims(JSON.stringify(claims), acrValues);
const nothing = { idToken: [], userinfo: [], subjects: null, essentialAcr: null, wishedAcr: [] };

const weak = { amr: 'pwd', strongAt: null };
const strong = { amr: 'pwd otp mfa', strongAt: 1 };

describe('the parameter claims', () => {
  it.each([
    ['nothing', {}, nothing],
    ['members that are null', { userinfo: null, id_token: null }, nothing],
    [
      'unknown members and claims',
      { verified: { a: 1 }, userinfo: { 'https://x.test/c': null, shoe: {} } },
      nothing,
    ],
    [
      'claims by null and by an object',
      { userinfo: { name: null, email: { essential: true } }, id_token: { nickname: { value: 'A' } } },
      { ...nothing, userinfo: ['email', 'name'], idToken: ['nickname'] },
    ],
    ['acr, with amr beside it', { id_token: { acr: null } }, { ...nothing, idToken: ['acr', 'amr'] }],
    [
      'a voluntary acr with values',
      { id_token: { acr: { values: ['a', 'b'] } } },
      { ...nothing, idToken: ['acr', 'amr'], wishedAcr: ['a', 'b'] },
    ],
    [
      'an essential acr with values',
      { id_token: { acr: { essential: true, values: ['a', 'b'] } } },
      { ...nothing, idToken: ['acr', 'amr'], essentialAcr: ['a', 'b'] },
    ],
    ['a subject', { id_token: { sub: { value: 'm' } } }, { ...nothing, subjects: ['m'] }],
    [
      'subjects in both members: those that are in both',
      { id_token: { sub: { values: ['m', 'n'] } }, userinfo: { sub: { value: 'n' } } },
      { ...nothing, subjects: ['n'] },
    ],
    [
      'a subject of another type: none can match',
      { id_token: { sub: { value: 5 } } },
      { ...nothing, subjects: [] },
    ],
  ])('I55: is read with %s', (_what, claims, found) => {
    expect(read(claims)).toEqual(found);
  });

  it('I67: acr_values alone asks for acr and amr, and demands nothing', () => {
    expect(readClaims(undefined, 'urn:a urn:b')).toEqual({
      ...nothing,
      idToken: ['acr', 'amr'],
      wishedAcr: ['urn:a', 'urn:b'],
    });
  });

  it.each([
    ['no JSON', '{'],
    ['a list', '[]'],
    ['a text', '"name"'],
    ['null', 'null'],
    ['a member that is a list', '{"userinfo":[]}'],
    ['a member that is a text', '{"id_token":"name"}'],
    ['a claim that is true', '{"userinfo":{"name":true}}'],
    ['a claim that is a list', '{"userinfo":{"name":["essential"]}}'],
    ['essential as a text', '{"userinfo":{"name":{"essential":"true"}}}'],
    ['values that are no list', '{"id_token":{"acr":{"values":"a"}}}'],
    ['a member twice', '{"userinfo":{"name":null},"userinfo":{}}'],
    ['a claim twice', '{"userinfo":{"name":null,"name":null}}'],
    ['a claim twice, once escaped', '{"userinfo":{"name":null,"n\\u0061me":null}}'],
    ['objects too deep', '{"userinfo":{"name":{"a":{"b":{"c":{}}}}}}'],
    ['a thousand lists', `{"userinfo":{"name":{"values":${'['.repeat(1_000)}${']'.repeat(1_000)}}}}`],
  ])('CL1: is malformed with %s', (_what, text) => {
    expect(readClaims(text, undefined)).toBe('malformed');
  });

  it('CL2: names of every object ask for nothing', () => {
    const names = '"__proto__":null,"constructor":{"essential":true},"toString":null,"hasOwnProperty":null';
    expect(
      readClaims(`{"userinfo":{${names}},"id_token":{${names}},"__proto__":{"acr":null}}`, undefined),
    ).toEqual(nothing);
  });

  it('CL1: no text throws, and what is kept of one is short', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.json(),
      fc.object({ maxDepth: 4 }).map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const asked = readClaims(text, undefined);
        if (asked !== 'malformed') expect(keepClaims(asked, weak)?.length ?? 0).toBeLessThan(512);
      }),
    );
  });
});

describe('the claims that are given', () => {
  const asked = read({
    userinfo: { name: null, email: null, phone_number: null },
    id_token: { email: null, address: null, acr: null },
  });
  const kept = asked === 'malformed' ? null : keepClaims(asked, weak);

  it('I55: to a client of the tenant itself any that it names; what its scope opens is not said twice', () => {
    expect(grantedClaims(kept, { thirdParty: false }, 'openid email')).toEqual({
      idToken: ['acr', 'address', 'amr', 'email'],
      userinfo: ['name', 'phone_number'],
    });
  });

  it('CL3: to a client of a third party none beyond the scopes that its member allowed', () => {
    expect(grantedClaims(kept, { thirdParty: true }, 'openid email')).toEqual({
      idToken: ['acr', 'amr', 'email'],
      userinfo: [],
    });
  });

  it('I67: keeps how the member was authenticated, where that is asked for and as it is demanded', () => {
    const keptBy = (session: typeof weak | typeof strong, acr: unknown) => {
      const read = readClaims(JSON.stringify({ id_token: { acr } }), undefined);
      return read === 'malformed' ? null : keptAuthentication(keepClaims(read, session) ?? '');
    };
    expect(keptBy(weak, null)).toEqual({ acr: 'urn:memberdoor:1', amr: ['pwd'] });
    expect(keptBy(strong, null)).toEqual({ acr: 'urn:memberdoor:2', amr: ['pwd', 'otp', 'mfa'] });
    expect(keptBy(strong, { essential: true, value: 'urn:memberdoor:1' })?.acr).toBe('urn:memberdoor:1');
    expect(kept).not.toContain('pwd otp');
    expect(keepClaims({ ...nothing, idToken: ['email'] }, strong)).not.toContain('amr');
    // As a code or a sign-in has it that was begun by an older version.
    const old = { acr: 'urn:memberdoor:1', amr: ['pwd'] };
    expect(keptAuthentication('{"id_token":["acr","amr"],"userinfo":[]}')).toEqual(old);
  });

  it('I55: none where none were asked for', () => {
    expect(keepClaims(null, weak)).toBeNull();
    expect(grantedClaims(null, { thirdParty: false }, 'openid')).toEqual({ idToken: [], userinfo: [] });
  });
});
