import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { foreignPair, jwtPart } from '../../../support/clients/foreign-jwt.ts';
import type { Said } from '../../../support/providers/foreign-provider.ts';
import { hostileTo, isSignedIn } from '../../../support/providers/hostile.ts';
import { follow, linksIn, travel } from '../../../support/providers/traveller.ts';
import { useFreshService } from '../../../support/use-service.ts';
import { field } from '../../../support/visitor.ts';

const service = useFreshService({ data: 'development' });
const { started, onTheWay, expectFailed, expectPending, change, altered, forget } = hostileTo(service);

describe('id_tokens that are not right', () => {
  const refused = async (said: Said) => expectFailed(await travel(service, await started(), said));

  it('IDP8: without a signature, with a MAC by our own secret, or by another key', async () => {
    const provider = await started();
    const hs256 = (claims: object) => {
      const input = `${jwtPart({ alg: 'HS256' })}.${jwtPart(claims)}`;
      return `${input}.${createHmac('sha256', 'secret-at-foreign').update(input).digest('base64url')}`;
    };
    const stranger = await foreignPair('ES256');
    const all = { id_token_signing_alg_values_supported: ['ES256', 'RS256', 'HS256', 'none'] };
    const wrong: readonly Said[] = [
      { document: all, idToken: (claims) => `${jwtPart({ alg: 'none' })}.${jwtPart(claims)}.` },
      { document: all, idToken: hs256 },
      { pair: stranger },
      { pair: stranger, header: { kid: undefined } },
      { idToken: () => 'no.jwt' },
    ];
    for (const said of wrong) {
      provider.say({});
      forget();
      await expectFailed(await travel(service, provider, { idToken: undefined, ...said } as Said));
    }
  });

  it('IDP9: of another issuer, for another client, or naming another one', async () => {
    await refused({ claims: { iss: 'https://evil.test' } });
  });

  it('IDP10: for another audience, or with another azp', async () => {
    const provider = await started();
    const wrong = [{ aud: 'another' }, { aud: ['another'] }, { azp: 'another' }];
    for (const claims of wrong) await expectFailed(await travel(service, provider, { claims }));
  });

  it('IDP11: expired, not yet valid, or made long ago or in times to come', async () => {
    const provider = await started();
    const now = Math.floor(service.clock.now() / 1_000);
    const wrong = [
      { exp: now - 60 },
      { exp: undefined },
      { nbf: now + 600 },
      { iat: now - 3_600 },
      { iat: now + 3_600 },
      { iat: 'now' },
    ];
    for (const claims of wrong) await expectFailed(await travel(service, provider, { claims }));
  });

  it('IDP12: with the nonce of another way, or with none', async () => {
    const provider = await started();
    const { sentTo } = await onTheWay();
    const nonce = new URL(sentTo).searchParams.get('nonce');
    for (const claims of [{ nonce }, { nonce: undefined }, { nonce: '' }]) {
      await expectFailed(await travel(service, provider, { claims }));
    }
  });

  it('IDP13: without a subject, with an empty or an endless one, or with one that UserInfo does not share', async () => {
    const provider = await started();
    for (const sub of [undefined, '', 7, 'x'.repeat(256)]) {
      await expectFailed(await travel(service, provider, { claims: { sub } }));
    }
    const said = { claims: { email: undefined }, userInfo: { sub: 'another', email: 'ada@example.com' } };
    await expectFailed(await travel(service, provider, said));
  });
});

describe('addresses that prove nothing', () => {
  it('IDP14: one that the provider did not verify is linked to no member', async () => {
    const provider = await started();
    for (const verified of [undefined, false, 'false', 0, null, 'yes', {}]) {
      await expectPending(await travel(service, provider, { claims: { email_verified: verified } }));
    }
  });

  it('IDP15: one that we did not verify, or of a provider that is not trusted, likewise', async () => {
    const provider = await started();
    await change((tx, tenantId) =>
      tx
        .updateTable('members')
        .set({ emailVerified: 0 })
        .where('tenantId', '=', tenantId)
        .where('normalisedEmail', '=', 'ada@example.com')
        .execute(),
    );
    await expectPending(await travel(service, provider));
    await altered({ trustsVerifiedEmail: false });
    await expectPending(await travel(service, provider, { claims: { email: 'bo@example.com' } }));
  });

  it('IDP16: an administrator’s account is never linked by its address', async () => {
    const provider = await started();
    await expectPending(await travel(service, provider, { claims: { email: 'tina@example.com' } }));
  });

  it('IDP17: another subject with the same address is another person', async () => {
    const provider = await started();
    await travel(service, provider);
    const { browser, answer } = await travel(service, provider, { claims: { sub: 'newcomer' } });
    expect(answer.headers.location).toMatch(/^\/sign-up\?flow=/);
    expect(await isSignedIn(browser)).toBe(false);
    expect(await linksIn(service)).toEqual([['ada-at-foreign', 'ada@example.com']]);
  });

  it('IDP18: a hostile name or address is shown as a text, or not at all', async () => {
    const provider = await started();
    const shown = async (claims: object) => {
      const { browser, answer } = await travel(service, provider, { claims: { sub: 'mallory', ...claims } });
      return follow(browser, answer);
    };
    const script = await shown({ name: '"><script>alert(1)</script>', email: 'x@example.net' });
    expect(script.text).not.toContain('<script>alert');
    expect(script.text).toContain('&quot;&gt;&lt;script&gt;');
    for (const name of ['x'.repeat(10_000), 'a\u0000b', '\u202eadA', ['Ada'], { toString: 'x' }, 7]) {
      expect(field(await shown({ name, email: 'x@example.net' }), 'fullName')).toBe('');
    }
    for (const email of ['not an address', `x\r\nBcc: a@example.net`, ['a@example.net'], 'a@b', 7]) {
      expect(field(await shown({ email }), 'email')).toBe('');
    }
  });
});
