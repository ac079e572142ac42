import { describe, expect, it } from 'vitest';
import { awayLifetime } from '../../../../src/core/providers/limits.ts';
import { startForeignProvider } from '../../../support/providers/foreign-provider.ts';
import { appleKey, hostileTo, isSignedIn } from '../../../support/providers/hostile.ts';
import { acmeOf, comeBack, registerAt } from '../../../support/providers/traveller.ts';
import { useFreshService } from '../../../support/use-service.ts';
import { answerOf, visitor } from '../../../support/visitor.ts';

const service = useFreshService({ data: 'development' });
const { started, onTheWay, expectFailed } = hostileTo(service);

describe('answers that are none for this browser', () => {
  it('IDP1: an answer of one provider at the address of another, or with its iss, is refused', async () => {
    const provider = await started();
    const other = await startForeignProvider(service.clock.now);
    await registerAt(service, other, { key: 'other', name: 'Other' });
    const { browser, sentTo } = await onTheWay();
    const said = provider.approve(sentTo);
    expect((await comeBack(browser, said, 'other')).status).toBe(400);
    said.set('iss', other.issuer);
    await expectFailed({ browser, answer: await comeBack(browser, said) });
  });

  it('IDP2: a code from another browser’s way is not redeemed, and worth nothing at a provider that looks at no PKCE', async () => {
    const provider = await started();
    for (const isLax of [false, true]) {
      const attacker = await onTheWay();
      const victim = await onTheWay();
      const stolen = provider.approve(attacker.sentTo, { isLax });
      const said = provider.approve(victim.sentTo);
      said.set('code', String(stolen.get('code')));
      await expectFailed({ browser: victim.browser, answer: await comeBack(victim.browser, said) });
    }
  });

  it('IDP3: the state of another browser begins anew, and signs no one in', async () => {
    const provider = await started();
    const attacker = await onTheWay();
    const said = provider.approve(attacker.sentTo);
    const { browser } = await onTheWay();
    const answer = await comeBack(browser, said);
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('This page has expired');
    expect(await isSignedIn(browser)).toBe(false);
  });

  it('IDP4: a state works once, of fifty at once too', async () => {
    const provider = await started();
    const { browser, sentTo } = await onTheWay();
    const said = provider.approve(sentTo);
    const answers = await Promise.all(Array.from({ length: 20 }, () => comeBack(browser, said)));
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    expect((await comeBack(browser, said)).status).toBe(403);
    expect(provider.received.filter(({ path }) => path === '/token')).toHaveLength(1);
  });

  it('IDP33, H9: an answer whose address is only looked at is not redeemed, and works afterwards', async () => {
    const provider = await started();
    const { browser, sentTo } = await onTheWay();
    const said = provider.approve(sentTo);
    const head = await browser.send(`/sign-in/from/foreign?${said}`, { method: 'HEAD' });
    expect(head.headers.location).toMatch(/^\/sign-in\?flow=/);
    expect(provider.received.filter(({ path }) => path === '/token')).toEqual([]);
    expect(answerOf(await comeBack(browser, said)).has('code')).toBe(true);
  });

  it.each([
    [{ prompt: 'login' }, 'login'],
    [{ max_age: '0' }, 'login'],
    [{}, null],
  ])('IDP32: a request with %j asks the provider for a proof that is new', async (more, prompt) => {
    await started();
    const { sentTo } = await onTheWay({ more });
    expect(new URL(sentTo).searchParams.get('prompt')).toBe(prompt);
  });

  it('IDP5: a state that is too old, changed, cut or missing is refused', async () => {
    const provider = await started();
    const { browser, sentTo } = await onTheWay();
    const said = provider.approve(sentTo);
    const state = String(said.get('state'));
    for (const wrong of ['', 'x', state.slice(0, -2), `${state}x`, state.replace('~', ''), `~${state}`]) {
      const changed = new URLSearchParams(said);
      changed.set('state', wrong);
      expect((await comeBack(browser, changed)).status, wrong).toBe(400);
    }
    const twice = new URLSearchParams(said);
    twice.append('code', 'another');
    expect((await comeBack(browser, twice)).status).toBe(400);
    service.clock.advance(awayLifetime);
    expect((await comeBack(browser, said)).status).toBe(403);
    expect(provider.received.some(({ path }) => path === '/token')).toBe(false);
  });

  it('IDP6: a form of another origin, or for a provider that sends none, is refused', async () => {
    const provider = await started();
    const { browser, sentTo } = await onTheWay();
    const body = Object.fromEntries(provider.approve(sentTo));
    const headers = { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' };
    expect((await browser.send('/sign-in/from/foreign', { body, headers })).status).toBe(400);
    await registerAt(service, provider, {
      key: 'apple',
      preset: 'apple',
      teamId: 'TEAM567890',
      keyId: 'KEY4567890',
      secret: appleKey,
    });
    // A forged form comes to a browser that began nothing, or something else.
    const forged = await visitor(service, acmeOf(service)).send('/sign-in/from/apple', { body, headers });
    const landed = await browser.send(String(forged.headers.location));
    expect(landed.status).toBe(400);
    expect((await browser.send('/sign-in/from/apple?answer=forged')).status).toBe(400);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it('IDP7: what one tenant began no other takes, under the same key', async () => {
    const provider = await started();
    const { browser, sentTo } = await onTheWay();
    const said = provider.approve(sentTo);
    const globex = visitor(service, `127.0.0.1:${service.port}`);
    for (const [name, value] of browser.cookies) globex.cookies.set(name, value);
    expect((await comeBack(globex, said)).status).toBe(400);
    expect(answerOf(await comeBack(browser, said)).get('code')).toBeTruthy();
  });
});
