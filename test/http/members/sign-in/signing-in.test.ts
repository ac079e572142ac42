import { availableParallelism } from 'node:os';
import { beforeAll, describe, expect, it } from 'vitest';
import { disableMember } from '../../../../src/operations/member/member.ts';
import { insertMember } from '../../../../src/storage/members/member.ts';
import { hosts, memberOf } from '../../../support/fixtures.ts';
import { type Answer, httpClient } from '../../../support/http.ts';
import { hashingPasswords } from '../../../support/members/moving-in/hashing.ts';
import { median } from '../../../support/process/median.ts';
import { loopWorkOf, workOf } from '../../../support/process/work.ts';
import { apps, claimsOf, expectBadToken, profile, tokensOf } from '../../../support/tokens.ts';
import { useService } from '../../../support/use-service.ts';
import {
  answerOf,
  authorizationParameters,
  codeFor,
  field,
  pkce,
  type Visitor,
  visitor,
  withoutSeals,
} from '../../../support/visitor.ts';

const passwords = hashingPasswords();
const service = useService({ data: 'security', passwords });

const sessionCookie = '__Host-memberdoor-session';
const { clientId, redirectUri } = apps.conf1;

const request = (more: Record<string, string> = {}) =>
  authorizationParameters(clientId, redirectUri, pkce(), more);

/** A browser that stands at the sign-in page of conf1. */
const atSignIn = async () => {
  const browser = visitor(service, hosts.a);
  return { browser, page: await browser.authorize(request()) };
};

/** A browser in which u1 is signed in. */
const signedIn = async () => {
  const browser = visitor(service, hosts.a);
  await codeFor(browser, clientId, redirectUri);
  return browser;
};

/** Whether a browser is signed in: prompt=none gives a code. */
const hasSession = async (browser: Visitor) =>
  answerOf(await browser.authorize(request({ prompt: 'none' }))).has('code');

/** The cookie of another's session, replayed by hand. */
const hasSessionWith = (cookie: string | undefined) => {
  const browser = visitor(service, hosts.a);
  browser.cookies.set(sessionCookie, String(cookie));
  return hasSession(browser);
};

/** Gives tenant a one more member, and returns its address and id. */
const addMember = async (number: number, password: string) => {
  const tenantId = String(service.tenants.byHost(hosts.a)?.id);
  const hash = await service.passwords.hash(password);
  const member = memberOf(tenantId, `m${number}@example.test`, number, service.clock.now());
  await service.store.transaction((tx) => insertMember(tx, member, hash));
  return member;
};

const disable = ({ id, tenantId }: { id: string; tenantId: string }) =>
  service.store.transaction((tx) => disableMember(tx, tenantId, id, service.clock.now()));

describe('A1: nothing tells an account that is there from one that is not', () => {
  const kinds = ['wrong password', 'unknown address', 'disabled account'] as const;
  // Of the same length, so that the pages are too.
  const emails = {
    'wrong password': 'm21@example.test',
    'unknown address': 'm22@example.test',
    'disabled account': 'm23@example.test',
  };

  beforeAll(async () => {
    await addMember(21, 'right one');
    await disable(await addMember(23, 'right one'));
  });

  it('A1: status, headers and body are the same, also for the right password of a disabled account', async () => {
    const { browser, page } = await atSignIn();
    const attempts = [
      ...kinds.map((kind) => [emails[kind], 'wrong one']),
      [emails['disabled account'], 'right one'],
    ];
    const answers = [];
    for (const [email = '', password] of attempts) {
      const { status, headers, text } = await browser.signIn(page, email, password);
      const { date: _, ...others } = headers;
      answers.push({ status, headers: others, text: withoutSeals(text, email) });
    }
    expect(answers[0]?.status).toBe(422);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(browser.cookies.has(sessionCookie)).toBe(false);
  });
});

describe('A3: passwords are taken whole', () => {
  it.each([
    ['64 code points', '🦊'.repeat(63), '🦊', '🐺'],
    ['128 characters', 'x'.repeat(127), 'a', 'b'],
    ['1,024 characters', 'x'.repeat(1_023), 'a', 'b'],
  ])('A3: one of %s signs in, and not with its last one changed', async (_length, start, last, other) => {
    const { email } = await addMember(300 + start.length, start + last);
    const { browser, page } = await atSignIn();
    expect((await browser.signIn(page, email, start + other)).status).toBe(422);
    expect((await browser.signIn(page, email, start)).status).toBe(422);
    expect((await browser.signIn(page, email, start + last)).status).toBe(303);
  });

  it('A3: one of more than 1,024 bytes is 400 for less than 20 ms of work, before anything is hashed', async () => {
    const { browser, page } = await atSignIn();
    for (const password of ['x'.repeat(1_025), '🦊'.repeat(257)]) {
      const before = passwords.hashed();
      const works: number[] = [];
      for (let sample = 0; sample < 5; sample += 1) {
        const worked = await workOf(async () => {
          const answer = await browser.signIn(page, 'u1@example.test', password);
          expect(answer.status).toBe(400);
          expect(answer.text).toMatch(/<title>Error: /);
          expect(answer.text).not.toContain(password);
        });
        works.push(worked);
      }
      expect(passwords.hashed()).toBe(before);
      expect(Math.min(...works)).toBeLessThan(20);
    }
  });

  it('A3: one of 1 MB is 4xx, and the service goes on', async () => {
    const { browser, page } = await atSignIn();
    const answer = await browser.signIn(page, 'u1@example.test', 'x'.repeat(1_048_576));
    expect(answer.status).toBe(400);
    expect((await browser.signIn(page, 'u1@example.test')).status).toBe(303);
  });
});

describe('A8: the session id changes', () => {
  it('A8: a session id that the browser had before its sign-in is not taken over', async () => {
    const { browser, page } = await atSignIn();
    browser.cookies.set(sessionCookie, 'fixed-by-an-attacker');
    expect((await browser.signIn(page, 'u1@example.test')).status).toBe(303);
    expect(browser.cookies.get(sessionCookie)).toMatch(/^[\w-]{43}$/);
    expect(await hasSessionWith('fixed-by-an-attacker')).toBe(false);
    expect(await hasSession(browser)).toBe(true);
  });

  it('A8: signing in anew changes it, and the one before is dead', async () => {
    const browser = await signedIn();
    const before = browser.cookies.get(sessionCookie);
    await codeFor(browser, clientId, redirectUri, { prompt: 'login' });
    expect(browser.cookies.get(sessionCookie)).not.toBe(before);
    expect(await hasSession(browser)).toBe(true);
    expect(await hasSessionWith(before)).toBe(false);
  });

  it('A8: signing out and in changes it, and the one before is dead', async () => {
    const browser = await signedIn();
    const before = browser.cookies.get(sessionCookie);
    await browser.send('/api/oidc/session/end?client_id=conf1');
    await codeFor(browser, clientId, redirectUri);
    expect(browser.cookies.get(sessionCookie)).not.toBe(before);
    expect(await hasSessionWith(before)).toBe(false);
  });

  it('A8: signing in as another member ends the session of the one before, and its tokens', async () => {
    const browser = visitor(service, hosts.a);
    const bound = await tokensOf(service, hosts.a, apps.conf1, { browser, more: { scope: 'openid' } });
    const before = browser.cookies.get(sessionCookie);
    await codeFor(browser, clientId, redirectUri, { prompt: 'login' }, 'u2@example.test');
    expect(await hasSessionWith(before)).toBe(false);
    expectBadToken(await profile(service, hosts.a, bound.access_token));
  });
});

describe('whose form it is', () => {
  const expectNothingDone = (browser: Visitor, answer: Answer) => {
    expect(answer.status).toBe(403);
    expect(answer.headers.location).toBeUndefined();
    expect(browser.cookies.has(sessionCookie)).toBe(false);
  };
  const credentials = { email: 'u1@example.test', password: 'password of u1 at a' };

  it.each([
    { origin: 'https://evil.test' },
    { origin: 'https://b.test' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'null', 'sec-fetch-site': 'cross-site' },
  ])('A10: credentials posted from another site (%o) are 403 and do not sign in', async (headers) => {
    const { browser, page } = await atSignIn();
    const body = { flow: field(page, 'flow'), ...credentials };
    expectNothingDone(browser, await browser.send('/sign-in', { body, headers }));
  });

  it('A11: a flow begun in one browser is not finished in another, with or without a cookie of its own', async () => {
    const { page } = await atSignIn();
    const { browser: other } = await atSignIn();
    for (const browser of [other, visitor(service, hosts.a)]) {
      expectNothingDone(browser, await browser.signIn(page, 'u1@example.test'));
      expectNothingDone(browser, await browser.send(`/sign-in?flow=${field(page, 'flow')}`));
    }
  });

  it('A11: a flow that was changed is refused', async () => {
    const { browser, page } = await atSignIn();
    const [payload = '', ...macs] = field(page, 'flow').split('.');
    const changed = JSON.parse(Buffer.from(payload, 'base64url').toString());
    changed.parameters.redirect_uri = 'https://evil.test/cb';
    const flow = [Buffer.from(JSON.stringify(changed)).toString('base64url'), ...macs].join('.');
    for (const forged of [flow, '', 'x', `${field(page, 'flow')}x`]) {
      const answer = await browser.send('/sign-in', { body: { flow: forged, ...credentials } });
      expect(answer.status).toBe(400);
      expect(browser.cookies.has(sessionCookie)).toBe(false);
    }
  });
});

describe('A14: a member who may no longer sign in', () => {
  it('A14: open sessions end at the next request, and no new one begins', async () => {
    const member = await addMember(14, 'right one');
    const browser = visitor(service, hosts.a);
    const more = { scope: 'openid' };
    const page = await browser.authorize(request(more));
    await browser.signIn(page, member.email, 'right one');
    const { access_token: token } = await tokensOf(service, hosts.a, apps.conf1, { browser, more });
    expect(claimsOf(token).sub).toBe(member.id);
    expect((await browser.send('/account')).status).toBe(200);

    await disable(member);
    expect((await browser.send('/account')).headers.location).toBe('/sign-in');
    expect(answerOf(await browser.authorize(request({ prompt: 'none' }))).get('error')).toBe(
      'login_required',
    );
    expectBadToken(await profile(service, hosts.a, token));
    const again = await browser.authorize(request());
    expect(again.status).toBe(200);
    expect((await browser.signIn(again, member.email, 'right one')).status).toBe(422);
  });
});

describe('A12: a flood of passwords', () => {
  it('A12: 200 sign-ins at once are hashed or told to come back, and discovery answers meanwhile', async () => {
    const { browser, page } = await atSignIn();
    const flood = httpClient(service.port, 200);
    const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ');
    // Another address each time: what is hashed is bounded by the queue, not by the limit of one account.
    const bodyOf = (index: number) => ({
      flow: field(page, 'flow'),
      email: `nobody${index}@example.test`,
      password: 'wrong one',
    });
    let flooding = true;
    const answers = Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        flood(hosts.a, '/sign-in', { body: bodyOf(index), headers: { cookie } }),
      ),
    ).finally(() => {
      flooding = false;
    });
    /** Of each answer of discovery that came while passwords were hashed. */
    const beside: { hashed: number; worked: number }[] = [];
    while (flooding) {
      const before = passwords.hashed();
      const worked = await loopWorkOf(async () => {
        const { status } = await service.http(hosts.a, '/.well-known/openid-configuration');
        expect(status).toBe(200);
      });
      const hashed = passwords.hashed() - before;
      if (hashed > 0) beside.push({ hashed, worked });
    }
    const turnedAway = (await answers).filter(({ status }) => status !== 422);
    flood.close();
    expect(turnedAway.length).toBeGreaterThan(0);
    expect(turnedAway.length).toBeLessThan(200);
    for (const answer of turnedAway) {
      expect([429, 503]).toContain(answer.status);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(answer.text).toMatch(/<title>Error: /);
    }
    // It waits for few of those in the queue, and their hashes are no work of the loop: one alone is 20 ms and more.
    expect(beside.length).toBeGreaterThan(0);
    expect(median(beside.map(({ hashed }) => hashed))).toBeLessThanOrEqual(3 * availableParallelism());
    expect(median(beside.map(({ worked }) => worked))).toBeLessThan(25);
    service.clock.advance(16 * 60_000);
    expect((await browser.signIn(page, 'u1@example.test')).status).toBe(303);
  });
});
