import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { registerClient } from '../../../../src/operations/client/client.ts';
import { codeIn, linkIn } from '../../../support/mails/outbox.ts';
import { type AccountVisitor, accountOf } from '../../../support/members/account.ts';
import { newPassword } from '../../../support/members/sign-up.ts';
import { portalOf } from '../../../support/operators/portal.ts';
import { startForeignProvider } from '../../../support/providers/foreign-provider.ts';
import { startOidcProvider } from '../../../support/providers/oidc-provider.ts';
import {
  acmeOf,
  atSignInOf,
  comeBack,
  follow,
  leaveFrom,
  linksIn,
  registerAt,
  travel,
} from '../../../support/providers/traveller.ts';
import { claimsOf, headerOf } from '../../../support/tokens.ts';
import { serviceForTest, useFreshService } from '../../../support/use-service.ts';
import { answerOf, field, visit, visitor, withoutSeals } from '../../../support/visitor.ts';

const service = useFreshService({ data: 'development' });

const started = async (more = {}) => {
  const provider = await startForeignProvider(service.clock.now);
  await registerAt(service, provider, more);
  return provider;
};

describe('an account of another provider (decision 46)', () => {
  it('stands as a button below address and password, and is asked for with PKCE, nonce and state', async () => {
    const provider = await started();
    const { browser, page } = await atSignInOf(service);
    expect(page.text.indexOf('Continue with Foreign')).toBeGreaterThan(page.text.indexOf('name="password"'));
    const sentTo = new URL(await leaveFrom(browser, page));
    expect(sentTo.origin + sentTo.pathname).toBe(`${provider.issuer}/auth`);
    const asked = Object.fromEntries(sentTo.searchParams);
    expect(asked).toMatchObject({
      client_id: provider.clientId,
      redirect_uri: `http://${acmeOf(service)}/sign-in/from/foreign`,
      response_type: 'code',
      scope: 'openid email profile',
      code_challenge_method: 'S256',
    });
    expect(asked.code_challenge).toHaveLength(43);
    expect(asked.nonce).toHaveLength(43);
    // Neither the app nor the address of a member can be read from it.
    expect(Buffer.from(String(asked.state), 'base64url').toString()).not.toContain('9879');
  });

  it('signs in, and is linked, where address and address are verified and the provider is trusted', async () => {
    const provider = await started();
    const { answer } = await travel(service, provider);
    expect(answer.status, answer.text).toBe(303);
    expect(answerOf(answer).get('code')).toBeTruthy();
    expect(await linksIn(service)).toEqual([['ada-at-foreign', 'ada@example.com']]);
    await service.delivered();
    expect(service.outbox.last('ada@example.com').text).toContain('Foreign (ada@example.com)');
    // From then on the subject says who it is, whatever the address.
    const again = await travel(service, provider, { claims: { email: 'other@example.net' } });
    expect(answerOf(again.answer).get('code')).toBeTruthy();
    expect(await linksIn(service)).toHaveLength(1);
  });

  it('is called in the portal as its button is, and a provider has no more facts there than it can have', async () => {
    const provider = await started();
    await travel(service, provider);
    const tina = await portalOf(service, acmeOf(service), 'tina@example.com', 'memberdoor-development');
    const home = `/admin/tenants/${acmeOf(service)}`;
    const member = await tina.send(`${home}/members/ada@example.com`);
    expect(member.text).toContain('Foreign · ada@example.com');
    const list = await tina.send(`${home}/members/ada@example.com/linked-accounts`);
    expect(/<td data-label="Provider">([\s\S]*?)<\/td>/.exec(list.text)?.[1]).toContain('Foreign');
    const page = await tina.send(`${home}/identity-providers/foreign`);
    expect(page.text).toContain('Client ID');
    expect(page.text).not.toMatch(/Team ID|Key ID/);
  });

  it('makes a member where there is none: without a password, and without a mail where the address is proven', async () => {
    const provider = await started();
    const claims = { sub: 'new', email: 'new@example.net', name: 'New Person' };
    const { browser, answer } = await travel(service, provider, { claims });
    const page = await follow(browser, answer);
    expect(field(page, 'fullName')).toBe('New Person');
    expect(field(page, 'email')).toBe('new@example.net');
    expect(page.text).not.toContain('name="password"');
    const body = { flow: field(page, 'flow'), fullName: 'New Person', email: 'new@example.net' };
    const made = await browser.send('/sign-up', { body });
    expect(answerOf(made).get('code'), made.text).toBeTruthy();
    expect(await linksIn(service)).toEqual([['new', 'new@example.net']]);
  });
});

describe('other providers, over real sockets', () => {
  it('another Memberdoor signs a member in, whose address UserInfo says', async () => {
    const other = await serviceForTest({ data: 'development' });
    const host = `127.0.0.1:${other.port}`;
    const tenantId = String(other.tenants.byHost(host)?.id);
    await other.store.transaction(async (tx) => {
      await registerClient(
        tx,
        tenantId,
        {
          clientId: 'acme',
          name: 'Acme',
          type: 'confidential',
          secret: 'a secret of acme',
          redirectUris: [`http://${acmeOf(service)}/sign-in/from/globex`],
        },
        other.clock.now(),
      );
      await other.tenants.reload(tx);
    });
    const globex = { issuer: `http://${host}` };
    const facts = { key: 'globex', preset: 'memberdoor', name: 'Globex', clientId: 'acme' } as const;
    await registerAt(service, globex, { ...facts, secret: 'a secret of acme' });
    const { browser, page } = await atSignInOf(service);
    const sentTo = await leaveFrom(browser, page, 'globex');
    const back = await visit(visitor(other, host), new URL(sentTo), 'bo@example.com');
    expect(back.origin).toBe(`http://${acmeOf(service)}`);
    const answer = await browser.send(back.pathname + back.search);
    expect(answerOf(answer).get('code'), answer.text).toBeTruthy();
    expect((await linksIn(service)).map(([, email]) => email)).toEqual(['bo@example.com']);
  });

  it('oidc-provider signs a member in', async () => {
    service.clock.set(Date.now());
    const provider = await startOidcProvider({
      client_id: 'acme',
      client_secret: 'a secret of acme',
      redirect_uris: [`http://${acmeOf(service)}/sign-in/from/foreign`],
    });
    await registerAt(service, provider, { clientId: 'acme', secret: 'a secret of acme' });
    const { browser, page } = await atSignInOf(service);
    const back = await provider.signIn(await leaveFrom(browser, page), 'cy');
    const answer = await browser.send(back.pathname + back.search);
    expect(answerOf(answer).get('code'), answer.text).toBeTruthy();
    expect(await linksIn(service)).toEqual([['cy', 'cy@example.com']]);
  });

  it('Apple’s answer is a form of its page, its client secret is signed anew, and its name comes once', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const secret = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const apple = {
      key: 'apple',
      preset: 'apple',
      name: 'Apple',
      teamId: 'TEAM567890',
      keyId: 'KEY4567890',
    } as const;
    // A field of one line takes the ends of lines away.
    const provider = await started({ ...apple, secret: secret.replaceAll('\n', '') });
    const { browser, page } = await atSignInOf(service);
    const sentTo = await leaveFrom(browser, page, 'apple');
    expect(new URL(sentTo).searchParams.get('response_mode')).toBe('form_post');
    const claims = { sub: 'apple-1', email: 'ada.berg@example.net', email_verified: 'true', name: undefined };
    const said = provider.approve(sentTo, { claims });
    const user = JSON.stringify({ name: { firstName: 'Ada', lastName: 'Berg' }, email: 'evil@example.com' });
    // Another site's form brings none of our cookies along.
    const posted = await visitor(service, acmeOf(service)).send('/sign-in/from/apple', {
      body: { ...Object.fromEntries(said), user },
      headers: { origin: provider.issuer, 'sec-fetch-site': 'cross-site' },
    });
    expect(posted.status, posted.text).toBe(303);
    expect(decodeURIComponent(String(posted.headers.location))).not.toMatch(/Ada|code-/);
    const form = await follow(browser, posted);
    expect(field(form, 'fullName')).toBe('Ada Berg');
    expect(field(form, 'email')).toBe('ada.berg@example.net');
    const asked = new URLSearchParams(provider.received.find(({ path }) => path === '/token')?.body);
    const proof = String(asked.get('client_secret'));
    expect(headerOf(proof)).toEqual({ alg: 'ES256', kid: 'KEY4567890' });
    expect(claimsOf(proof)).toMatchObject({
      iss: 'TEAM567890',
      sub: provider.clientId,
      aud: provider.issuer,
    });
  });
});

describe('an address for which a provider’s word is not taken', () => {
  it('is proven by our own mail, the same page for a known and an unknown one', async () => {
    const provider = await started({ trustsVerifiedEmail: false });
    const signUp = async (email: string) => {
      const { browser, answer } = await travel(service, provider, { claims: { sub: email, email } });
      const page = await follow(browser, answer);
      const body = { flow: field(page, 'flow'), fullName: 'Ada Foreign', email };
      const verify = await follow(browser, await browser.send('/sign-up', { body }));
      await service.delivered();
      return { browser, page, verify };
    };
    const known = await signUp('ada@example.com');
    const unknown = await signUp('new@example.net');
    const bare = (text: string) => withoutSeals(text).replaceAll(/ada@example\.com|new@example\.net/g, '…');
    expect(bare(known.page.text)).toBe(bare(unknown.page.text));
    expect(bare(known.verify.text)).toBe(bare(unknown.verify.text));
    expect(service.outbox.last('ada@example.com').text).toContain('already');
    const { browser, verify } = unknown;
    const mail = service.outbox.last('new@example.net');
    // In another browser its link proves nothing: no password was chosen that could tell who asked.
    const elsewhere = visitor(service, acmeOf(service));
    const opened = await elsewhere.send(new URL(linkIn(mail)).pathname);
    expect(opened.text).toContain('Go back to the browser where you started');
    const pressed = await elsewhere.send(new URL(linkIn(mail)).pathname, { body: { password: newPassword } });
    expect(pressed.text).toContain('Go back to the browser where you started');
    const done = await browser.send('/sign-up/verify', {
      body: { proof: field(verify, 'proof'), code: codeIn(mail) },
    });
    expect(answerOf(done).get('code'), done.text).toBeTruthy();
    expect(await linksIn(service)).toEqual([['new@example.net', 'new@example.net']]);
    // From then on the account signs in by itself.
    const again = await travel(service, provider, { claims: { sub: 'new@example.net' } });
    expect(answerOf(again.answer).get('code')).toBeTruthy();
  });

  it('is linked by a member who proves both: the account there, and the password here', async () => {
    const provider = await started({ trustsVerifiedEmail: false });
    const { browser, answer } = await travel(service, provider);
    const form = await follow(browser, answer);
    const back = await browser.send('/sign-up', { body: { flow: field(form, 'flow'), action: 'sign-in' } });
    const page = await follow(browser, back);
    expect(page.text).toContain('Foreign (ada@example.com)');
    const wrong = await browser.signIn(page, 'ada@example.com', 'a wrong password');
    expect(await linksIn(service)).toEqual([]);
    expect(answerOf(await browser.signIn(wrong, 'ada@example.com')).get('code')).toBeTruthy();
    expect(await linksIn(service)).toEqual([['ada-at-foreign', 'ada@example.com']]);
  });
});

describe('the account page of linked accounts', () => {
  const connected = async (browser: AccountVisitor) => {
    const page = await browser.submit('/account/accounts/connect/foreign', {
      currentPassword: 'memberdoor-development',
    });
    return String(/0;url=(.*)$/.exec(String(page.headers.refresh))?.[1]);
  };

  it('links an account of a member who gives the password once more, and takes it away', async () => {
    const provider = await started();
    const browser = await accountOf(service, acmeOf(service), 'bo@example.com');
    const sentTo = await connected(browser);
    const answer = await comeBack(browser, provider.approve(sentTo));
    expect(answer.headers.location, answer.text).toBe('/account/accounts');
    const list = await browser.send('/account/accounts');
    expect(list.text).toContain('Your account is connected.');
    expect(await linksIn(service)).toEqual([['ada-at-foreign', 'bo@example.com']]);
    const gone = await browser.submit('/account/accounts', {
      action: 'unlink',
      account: field(list, 'account'),
    });
    expect(gone.headers.location, gone.text).toBe('/account/accounts');
    expect((await browser.send('/account/accounts')).text).toContain('Foreign is disconnected.');
    expect(await linksIn(service)).toEqual([]);
    await service.delivered();
    const told = service.outbox.last('bo@example.com');
    expect([told.name, told.text.includes('with Foreign (ada@example.com)')]).toEqual([
      'accountUnlinked',
      true,
    ]);
  });
});
