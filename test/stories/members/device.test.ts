import * as openid from 'openid-client';
import { describe, expect, it } from 'vitest';
import { expectNothingShown, startLivingRoom } from '../../support/browser/living-room.ts';
import { type DeviceAuthorization, pollByTheRules, television } from '../../support/browser/television.ts';
import { profile } from '../../support/tokens.ts';
import { useStarted } from '../../support/use-service.ts';

const room = useStarted(startLivingRoom);

const nothing = () => {};
const host = () => new URL(room.site.issuer).host;
const profileStatus = async (accessToken: string) =>
  (await profile(room.site.service, host(), accessToken)).status;
const userInfo = async (accessToken: string) =>
  (
    await room.site.service.http(host(), '/api/oidc/me', {
      headers: { authorization: `Bearer ${accessToken}` },
    })
  ).status;

describe('a TV with openid-client and a phone', () => {
  it('contract: the member approves, and the TV has tokens that work wherever a web token does', async () => {
    const { site, phone, approve, waiting, secrets } = room;
    const config = await openid.discovery(new URL(site.issuer), 'tv', undefined, openid.None(), {
      execute: [openid.allowInsecureRequests],
    });
    const code = await openid.initiateDeviceAuthorization(config, {
      scope: 'openid offline_access email',
      device_name: 'Living room',
    });
    secrets.add(code.device_code);
    expect(code.user_code).toMatch(/^\d{3} \d{3}$/);
    expect([code.expires_in, code.interval]).toEqual([900, 5]);

    // The client waits by a clock of its own: it is told not to, and each of its polls waits here instead.
    const wait = waiting(nothing, nothing, approve(code as DeviceAuthorization));
    const heard: number[] = [];
    config[openid.customFetch] = async (...request) => {
      await wait(code.interval ?? 0);
      const response = await fetch(...(request as Parameters<typeof fetch>));
      heard.push(response.status);
      return response;
    };
    const tokens = await openid.pollDeviceAuthorizationGrant(config, { ...code, interval: 0 });
    expect(heard).toEqual([400, 400, 200]);
    expect(tokens.scope).toBe('openid offline_access email');
    expect(await phone.heading()).toBe('Living room is signed in');

    const claims = tokens.claims();
    const info = await openid.fetchUserInfo(config, tokens.access_token, claims?.sub ?? '');
    expect(info.email).toBe('ida@example.com');
    expect(await profileStatus(tokens.access_token)).toBe(200);
    const next = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(next.refresh_token).not.toBe(tokens.refresh_token);
    for (const each of [tokens, next]) {
      secrets.add(each.access_token).add(each.refresh_token ?? '');
    }
  });
});

describe('a TV that polls by the five rules and a phone', () => {
  it('pages 16: from the QR code to "Approved" a signed-in member taps at most twice', async () => {
    const { tv, phone, newCode, waiting, tokensOf } = room;
    const code = await newCode();
    const before = phone.taps();
    await phone.open(code.verification_uri_complete);
    expect(await phone.heading()).toBe('You are signing in on a TV');
    expect(await phone.view.page.locator('.shown-code strong').textContent()).toBe(code.user_code);
    await phone.tap('Approve');
    expect(await phone.heading()).toBe('Living room is signed in');
    const taps = phone.taps() - before;
    console.info(`taps from the QR code to "Approved": ${taps}`);
    expect(taps).toBeLessThanOrEqual(2);
    const polling = await pollByTheRules(code, tv.poll, waiting());
    expect(polling.heard).toEqual(['tokens']);
    tokensOf(polling);
  });

  it('pages 13: the code can be typed, and the member who types it approves the same TV', async () => {
    const { tv, phone, newCode, waiting, tokensOf } = room;
    const code = await newCode();
    const polling = await pollByTheRules(
      code,
      tv.poll,
      waiting(nothing, async () => {
        await phone.open(code.verification_uri);
        await phone.view.page.fill('#user_code', code.user_code.replace(' ', '-'));
        await phone.tap('Continue');
        await phone.tap('Approve');
      }),
    );
    expect(polling.heard).toEqual(['authorization_pending', 'tokens']);
    expect(polling.waits).toEqual([5, 5]);
    tokensOf(polling);
  });

  it('contract: the member rejects, the TV hears access_denied and stops', async () => {
    const { tv, phone, newCode, waiting } = room;
    const code = await newCode();
    const other = await phone.view.context.newPage();
    const polling = await pollByTheRules(
      code,
      tv.poll,
      waiting(nothing, async () => {
        await other.goto(code.verification_uri_complete);
        await phone.open(code.verification_uri_complete);
        await phone.tap('Reject');
      }),
    );
    expect(polling.heard).toEqual(['authorization_pending', 'access_denied']);
    expect(await phone.heading()).toBe('Sign-in rejected');
    expect(await phone.view.page.textContent('main')).toContain('Nothing was shared');

    // U19: neither the back button nor a page opened before turns it round.
    await phone.view.page.goBack();
    expect(await phone.heading()).toBe('Sign-in rejected');
    await other.getByRole('button', { name: 'Approve' }).click();
    await other.getByRole('heading', { name: 'Sign-in rejected' }).waitFor();
    expect((await tv.poll(code.device_code)).body?.error).toBe('access_denied');
  });

  it('contract: after 15 minutes without a decision the TV gets expired_token, and the page approves no more', async () => {
    const { tv, phone, newCode, waiting } = room;
    const code = await newCode();
    await phone.open(code.verification_uri_complete);
    const polling = await pollByTheRules(code, tv.poll, waiting());
    expect(polling.waits).toEqual(Array(180).fill(5));
    expect(new Set(polling.heard.slice(0, -1))).toEqual(new Set(['authorization_pending']));
    expect(polling.heard.at(-1)).toBe('expired_token');

    await phone.tap('Approve');
    expect(await phone.view.page.title()).toMatch(/^Error: /);
    expect((await tv.poll(code.device_code)).body?.error).toBe('expired_token');
  });

  it('U1: a member who scans the QR code signed out signs in first, and then sees the same code', async () => {
    const { tv, newPhone, newCode, waiting, tokensOf } = room;
    const code = await newCode();
    const stranger = await newPhone();
    await stranger.open(code.verification_uri_complete);
    expect(await stranger.heading()).toBe('Sign in');
    expect((await tv.poll(code.device_code)).body?.error).toBe('authorization_pending');
    await stranger.signIn('bo@example.com');
    expect(await stranger.heading()).toBe('You are signing in on a TV');
    expect(await stranger.view.page.locator('.shown-code strong').textContent()).toBe(code.user_code);
    expect(await stranger.view.page.textContent('.lead')).toContain('bo@example.com');
    await stranger.tap('Approve');
    console.info(`taps from the QR code to "Approved", signed out: ${stranger.taps()}`);
    expect(await stranger.heading()).toBe('Living room is signed in');
    tokensOf(await pollByTheRules(code, tv.poll, waiting()));
  });

  it('contract: a TV that polls too early three times waits 15 s longer from then on', async () => {
    const { tv, newCode, approve, waiting, tokensOf } = room;
    const code = await newCode();
    // An impatient TV: it knows the rules, but its clock runs thirty times too fast.
    const hurry = [5, 0.2, 0.3, 0.5];
    const wait = waiting(nothing, nothing, nothing, nothing, nothing, nothing, approve(code));
    const polling = await pollByTheRules(code, tv.poll, (seconds) => wait(hurry.shift() ?? seconds));
    expect(polling.heard).toEqual([
      'authorization_pending',
      ...Array(3).fill('slow_down'),
      ...Array(2).fill('authorization_pending'),
      'tokens',
    ]);
    expect(polling.waits).toEqual([5, 5, 10, 15, 20, 20, 20]);
    tokensOf(polling);
  });
});

describe('whose code it is', () => {
  it('contract: a second poll after the tokens ends the sign-in; the access token lives on till it expires', async () => {
    const { site, tv, newCode, approve, waiting, tokensOf } = room;
    const code = await newCode();
    await approve(code)();
    const tokens = tokensOf(await pollByTheRules(code, tv.poll, waiting()));
    expect((await tv.poll(code.device_code)).body?.error).toBe('invalid_grant');
    expect((await tv.refresh(tokens.refresh_token)).body?.error).toBe('invalid_grant');
    expect(await profileStatus(tokens.access_token)).toBe(200);
    site.service.clock.advance(3_600_000);
    expect(await profileStatus(tokens.access_token)).toBe(401);
  });

  it('contract: another client’s poll is invalid_grant and changes nothing, before and after the tokens', async () => {
    const { site, tv, newCode, approve, waiting, tokensOf } = room;
    const other = await television(site.issuer, 'reader');
    const code = await newCode();
    const stranger = async () => {
      for (const _ of [1, 2, 3]) {
        expect((await other.poll(code.device_code)).body?.error).toBe('invalid_grant');
      }
    };
    const both = async () => {
      await approve(code)();
      await stranger();
    };
    const polling = await pollByTheRules(code, tv.poll, waiting(stranger, stranger, both));
    expect(polling.heard).toEqual(['authorization_pending', 'authorization_pending', 'tokens']);
    await stranger();
    const { body } = await tv.refresh(tokensOf(polling).refresh_token);
    expect(Object.keys(body ?? {})).toContain('refresh_token');
    tokensOf({ last: body });
  });
});

describe('signing out on the phone', () => {
  it.each([
    ['openid offline_access', 'go on working', 200],
    ['openid', 'stop at once', 401],
  ])('contract: tokens with the scope "%s" %s', async (scope, _what, status) => {
    const { site, tv, newPhone, newCode, waiting, tokensOf } = room;
    const own = await newPhone();
    const code = await newCode({ scope });
    await own.open(code.verification_uri_complete);
    await own.signIn();
    await own.tap('Approve');
    const { access_token: token, refresh_token: refreshToken } = tokensOf(
      await pollByTheRules(code, tv.poll, waiting()),
    );
    expect(refreshToken === undefined).toBe(scope === 'openid');
    expect([await profileStatus(token), await userInfo(token)]).toEqual([200, 200]);

    await own.open(`${site.issuer}/account`);
    // That of the browser stands in the bar; each TV has one too.
    await own.tap('Sign out', 'banner');
    expect(await own.heading()).toBe('You are signed out');
    expect([await profileStatus(token), await userInfo(token)]).toEqual([status, status]);
    if (refreshToken !== undefined) tokensOf({ last: (await tv.refresh(refreshToken)).body });
  });
});

describe('after all of this', () => {
  it('contract: no device code and no token stands in a log line, an address or a page', async () => {
    expect(room.secrets.size).toBeGreaterThan(30);
    await expectNothingShown(room);
  });

  it('W1: no page broke its own security policy', () => {
    expect(room.phones.flatMap(({ view }) => view.problems)).toEqual([]);
  });
});
