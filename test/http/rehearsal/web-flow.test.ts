import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Explanation, explain } from '../../../src/core/rehearsal/explain/explain.ts';
import { type Room, roomOf } from '../../support/rehearsal/rehearsal.ts';
import { useService } from '../../support/use-service.ts';
import { type Visitor, visit, visitor } from '../../support/visitor.ts';

const service = useService({ data: 'development' });
let acme: string;
let room: Room;
let browser: Visitor;

beforeAll(() => {
  acme = `localhost:${service.port}`;
  room = roomOf(service, acme);
});

beforeEach(async () => {
  browser = visitor(service, acme);
  await act('begin');
});

const act = async (name: string) =>
  (await room.ask('web/do', { do: name })).json<{ signed_in: boolean; ended: string | null }>();

const page = async () => (await service.http(acme, '/rehearsal/web')).text;

/** The address that the page sends the browser to, by the words of its link. */
async function linkOf(words: string): Promise<URL> {
  const [, href = ''] = new RegExp(`href="([^"]+)">${words}<`).exec(await page()) ?? [];
  return new URL(href.replaceAll('&amp;', '&'), `http://${acme}`);
}

/** Signs in in the browser, which comes back with a code. */
async function comeBack(): Promise<void> {
  const back = await visit(browser, await linkOf('Go to the sign-in page'));
  await browser.send(back.pathname + back.search);
}

async function signIn(): Promise<void> {
  await comeBack();
  await act('exchange');
}

/** What the last request to an endpoint means. */
async function lastOf(endpoint: string): Promise<Explanation | undefined> {
  const log = await room.wire();
  const entry = log.findLast((one) => one.endpoint === endpoint);
  return entry === undefined ? undefined : explain(entry, log);
}

describe('the web client of the room', () => {
  it('goes the whole way: PKCE, the code, tokens, the member, a refresh, the end', async () => {
    await comeBack();
    expect(await page()).toMatch(/<dt>state<\/dt><dd class="fits">/);
    expect(await act('exchange')).toMatchObject({ signed_in: true });
    expect(await lastOf('token')).toMatchObject({
      says: expect.stringMatching(/verifier fits/),
      tone: 'good',
    });
    await act('ask');
    expect(await lastOf('userinfo')).toMatchObject({ tone: 'good' });
    expect(await act('refresh')).toMatchObject({ signed_in: true });
    expect(await act('revoke')).toEqual({ signed_in: false, ended: 'revoked' });
    expect(await lastOf('revocation')).toMatchObject({ tone: 'good' });
    const left = await browser.send(
      (await linkOf('Log out of the browser')).href.replace(`http://${acme}`, ''),
    );
    expect(left.headers.location).toBe(`http://${acme}/rehearsal/web`);
  });

  it('throws away what comes back with another state', async () => {
    await browser.send((await linkOf('A forged answer')).href.replace(`http://${acme}`, ''));
    expect(await page()).toMatch(/<dt>state<\/dt><dd class="differs">/);
    expect(await act('exchange')).toMatchObject({ signed_in: false });
  });

  it('asks for nothing at an address that is not registered', async () => {
    const elsewhere = await linkOf('With a redirect URI that is not registered');
    expect((await browser.send(elsewhere.pathname + elsewhere.search)).status).toBe(400);
    expect(await lastOf('authorization')).toMatchObject({
      says: expect.stringMatching(/^A page and no redirect/),
    });
  });

  it.each([
    ['exchangeWrong', /verifier does not fit/],
    ['exchange twice', /^This code was exchanged before/],
  ])('a code that is misused ends the sign-in: %s', async (how, says) => {
    await comeBack();
    if (how === 'exchange twice') await act('exchange');
    expect(await act(how === 'exchangeWrong' ? how : 'exchange')).toMatchObject({
      signed_in: false,
      ended: 'invalid_grant',
    });
    expect(await lastOf('token')).toMatchObject({ says: expect.stringMatching(says), tone: 'bad' });
  });

  it.each([
    ['replay', /^An old refresh token/],
    ['refreshTwice', /^Two refreshes at once/],
  ])('a refresh token that is misused ends the sign-in: %s', async (how, says) => {
    await signIn();
    await act('refresh');
    expect(await act(how)).toMatchObject({ signed_in: false, ended: 'invalid_grant' });
    const log = await room.wire();
    const refused = log.findLast(({ endpoint, answer }) => endpoint === 'token' && answer.status === 400);
    expect(refused && explain(refused, log).says).toMatch(says);
  });

  it('draws a fresh verifier, state and nonce for each sign-in', async () => {
    const marks = async () => (await page()).match(/<dd>(?:verifier|state|nonce|challenge)·[0-9a-f]{8}/g);
    const first = await marks();
    await act('begin');
    const second = await marks();
    expect(new Set([...(first ?? []), ...(second ?? [])]).size).toBe(8);
  });
});
