import { describe, expect, it } from 'vitest';
import { removeProvider, switchProvider } from '../../../../src/operations/providers/identity-provider.ts';
import { createOutbound } from '../../../../src/system/outbound/outbound.ts';
import { type Said, startForeignProvider } from '../../../support/providers/foreign-provider.ts';
import { hostileTo, isSignedIn } from '../../../support/providers/hostile.ts';
import {
  atSignInOf,
  comeBack,
  follow,
  leaveFrom,
  linksIn,
  registerAt,
  travel,
} from '../../../support/providers/traveller.ts';
import { serviceForTest, useFreshService } from '../../../support/use-service.ts';

const service = useFreshService({ data: 'development' });
const { started, onTheWay, expectFailed, change, altered, forget } = hostileTo(service);

describe('providers that cannot be relied on', () => {
  it('IDP19: whose issuer or places are none that we call', async () => {
    const provider = await started();
    const wrong = [
      { issuer: 'https://evil.test' },
      { issuer: undefined },
      { authorization_endpoint: 'javascript:alert(1)' },
      { authorization_endpoint: 'http://' },
    ];
    for (const document of wrong) {
      provider.say({ document });
      forget();
      const { browser, page } = await atSignInOf(service);
      const href = String(/href="(\/sign-in\/with\/foreign[^"]*)"/.exec(page.text)?.[1]);
      const answer = await browser.send(href.replaceAll('&amp;', '&'));
      expect(answer.status, JSON.stringify(document)).toBe(502);
    }
    for (const place of ['http://169.254.169.254/token', 'http://10.0.0.1/token', 'file:///etc/passwd']) {
      provider.say({ document: { token_endpoint: place } });
      forget();
      await expectFailed(await travel(service, provider));
    }
  });

  it('IDP20: that answer slowly, never, without end, or with something else', async () => {
    const waiting = new Set<() => void>();
    const outbound = createOutbound({
      clock: () => 0,
      schedule: (work) => {
        waiting.add(work);
        return () => waiting.delete(work);
      },
      log: () => ({ info: () => {} }),
    });
    const slow = await serviceForTest({ data: 'development', outbound });
    const provider = await startForeignProvider(slow.clock.now);
    await registerAt(slow, provider);
    const failing = async (said: Said) => {
      hostileTo(slow).forget();
      const { browser, page } = await atSignInOf(slow);
      const sentTo = await leaveFrom(browser, page);
      provider.say({});
      const answer = await comeBack(browser, provider.approve(sentTo, said));
      expect(answer.status, answer.text).toBe(502);
      provider.say({});
    };
    // What never answers has been asked for long, as far as we know.
    const never = () => {
      for (const work of waiting) work();
    };
    await failing({ instead: { keys: never } });
    await failing({ instead: { token: never } });
    const endless = { 'content-type': 'application/json' };
    await failing({
      instead: {
        token: (_, reply) => {
          reply.writeHead(200, endless);
          const more = () => reply.write('x'.repeat(64 * 1_024), () => reply.writable && more());
          more();
        },
      },
    });
    await failing({ instead: { keys: (_, reply) => reply.writeHead(500).end() } });
    await failing({ instead: { keys: (_, reply) => reply.end('{"keys":7}') } });
    await failing({ instead: { token: (_, reply) => reply.writeHead(302, { location: '/' }).end() } });
    await failing({ instead: { token: (_, reply) => reply.writeHead(200, endless).end('[]') } });
  });

  it('IDP21: that are off, deleted, or another one by now', async () => {
    const provider = await started();
    const gone = async (meanwhile: () => Promise<unknown>) => {
      const { browser, sentTo } = await onTheWay();
      const said = provider.approve(sentTo);
      await meanwhile();
      const answer = await comeBack(browser, said);
      expect(answer.status, answer.text).toBe(404);
      expect(await isSignedIn(browser)).toBe(false);
    };
    await gone(() => altered({ issuer: 'https://other.test' }));
    await altered({ issuer: provider.issuer });
    await gone(() => change((tx, id) => switchProvider(tx, id, 'foreign', service.clock.now())));
    await change((tx, id) => switchProvider(tx, id, 'foreign', null));
    await gone(() => change((tx, id) => removeProvider(tx, id, 'foreign')));
    expect(await linksIn(service)).toEqual([]);
  });

  it('IDP22: that send errors with hostile texts: none is shown, logged or kept', async () => {
    const provider = await started();
    const evil = '<script>alert("evil")</script>';
    for (const error of ['server_error', 'no_such_error', evil, 'x'.repeat(2_000)]) {
      const { browser, sentTo } = await onTheWay();
      const state = String(new URL(sentTo).searchParams.get('state'));
      const said = new URLSearchParams({
        error,
        error_description: evil,
        error_uri: 'https://evil.test',
        state,
      });
      const answer = await comeBack(browser, said);
      await expectFailed({ browser, answer });
      expect(answer.text).not.toContain('alert');
    }
    // A member who says no comes back to where it began.
    const { browser, sentTo } = await onTheWay();
    const state = String(new URL(sentTo).searchParams.get('state'));
    const back = await comeBack(browser, new URLSearchParams({ error: 'access_denied', state }));
    expect((await follow(browser, back)).text).toContain('name="password"');
    expect(service.logLines.join('')).not.toMatch(/evil|alert/);
    const reasons = await change((tx) =>
      tx.selectFrom('auditEvents').select('reason').where('event', '=', 'sign_in_refused').execute(),
    );
    expect(JSON.stringify(reasons)).not.toMatch(/evil|alert/);
    const other = { instead: { token: (_: unknown, reply: { end(text: string): void }) => reply.end(evil) } };
    await expectFailed(await travel(service, provider, other as Said));
  });
});
