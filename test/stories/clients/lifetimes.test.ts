import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { day, hour, minute, second } from '../../../src/core/limits.ts';
import type { Door } from '../../../src/testing/door.ts';
import { startMemberdoor } from '../../../src/testing/testing.ts';
import { type AtDoor, atDoor, said, statusAt } from '../../support/members/at-door.ts';
import { field } from '../../support/visitor.ts';

/**
 * Every lifetime that the contract, the decisions and the defaults name, on one development start: all of them begin at
 * one moment, and its clock goes from one end to the next. Nothing but HTTP is spoken.
 */

const moments = new Map<string, Moment[]>();
const found = new Map<string, string[]>();

/** A look at something so long (ms) after the beginning, and what is seen then. */
type Moment = readonly [after: number, look: () => Promise<string>, expected: string];

let door: Door;
let at: AtDoor;

const kidOf = (jwt = '') => JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString()).kid;

const everyUse = (until: number, pace: number, look: Moment[1], expected: string): Moment[] =>
  Array.from({ length: Math.ceil(until / pace) - 1 }, (_, index) => [(index + 1) * pace, look, expected]);

/** What lives, and from when on it does not: each begins at the same moment. */
const lives: Readonly<Record<string, () => Promise<readonly Moment[]>>> = {
  'a device code: 900 s, and known for 900 s more (contract, Limits; decision 22)': async () => {
    const poll = await at.tv();
    return [
      [899 * second, poll, 'authorization_pending'],
      [900 * second, poll, 'expired_token'],
      [30 * minute, poll, 'invalid_grant'],
    ];
  },
  'the interval of polls: 5 s, and 5 s more after each that is too early (contract, Limits; decision 20)':
    async () => {
      const poll = await at.tv();
      return [
        [0, poll, 'authorization_pending'],
        [second, poll, 'slow_down'],
        [10 * second, poll, 'authorization_pending'],
      ];
    },
  'wrong user codes of a member: five in 15 minutes (decision 32)': async () => {
    const own = await at.signedIn('finn@example.com');
    // No TV shows one of these: codes come from the seed.
    for (const wrong of ['000001', '000002', '000003', '000004', '000005']) {
      await own.send(`/device?user_code=${wrong}`);
    }
    const enter = () => statusAt(own, '/device?user_code=000000');
    return [
      [15 * minute - second, enter, '429'],
      [15 * minute, enter, '422'],
    ];
  },
  'an authorization code: 10 minutes (contract, Limits)': async () => {
    const [early, late] = [await at.code('bo@example.com'), await at.code('bo@example.com')];
    return [
      [599 * second, () => said(early()), '200'],
      [600 * second, () => said(late()), 'invalid_grant'],
    ];
  },
  'an access token: an hour, as it says (decision 26)': async () => {
    const { accessToken: token, expiresIn: seconds } = await at.tokens('bo@example.com');
    expect(seconds).toBe(3_600);
    return [
      [hour - second, () => at.me(token), '200'],
      [hour, () => at.me(token), 'invalid_token'],
    ];
  },
  'a refresh token: 90 days unused (decision 25)': async () => {
    const [early, late] = [await at.tokens('bo@example.com'), await at.tokens('bo@example.com')];
    return [
      [90 * day - second, () => said(at.refresh(early.refreshToken)), '200'],
      [90 * day, () => said(at.refresh(late.refreshToken)), 'invalid_grant'],
    ];
  },
  'a sign-in that is refreshed: 365 days (decision 25)': async () => {
    let { refreshToken: token } = await at.tokens('bo@example.com');
    const rotate = async () => {
      const answer = await at.refresh(token);
      if (answer.status === 200) token = answer.json<{ refresh_token: string }>().refresh_token;
      return said(Promise.resolve(answer));
    };
    return [
      ...everyUse(365 * day, 80 * day, rotate, '200'),
      [365 * day - second, rotate, '200'],
      [365 * day, rotate, 'invalid_grant'],
    ];
  },
  'a superseded refresh token: no moment more (decision 24)': async () => {
    const { refreshToken: token } = await at.tokens('bo@example.com');
    await at.refresh(token);
    return [[0, () => said(at.refresh(token)), 'invalid_grant']];
  },
  'a session: 14 days unused (security, Defaults)': async () => {
    const own = await at.signedIn('ida@example.com');
    const other = await at.signedIn('ida@example.com');
    return [
      [14 * day - second, () => statusAt(own, '/account'), '200'],
      [14 * day, () => statusAt(other, '/account'), '303'],
    ];
  },
  'a session that is used: 90 days (security, Defaults)': async () => {
    const own = await at.signedIn('ida@example.com');
    const use = () => statusAt(own, '/account');
    return [
      ...everyUse(89 * day, 13 * day, use, '200'),
      [90 * day - second, use, '200'],
      [90 * day, use, '303'],
    ];
  },
  'tokens without offline_access: as long as the session (decision 27)': async () => {
    const own = await at.signedIn('ida@example.com');
    const exchange = await at.code('ida@example.com', own, 'openid');
    const { access_token: token } = (await exchange()).json<{ access_token: string }>();
    const signOut = async () => String((await own.send('/api/oidc/session/end?client_id=web')).status);
    return [
      [minute, () => at.me(token), '200'],
      [minute, signOut, '303'],
      [minute, () => at.me(token), 'invalid_token'],
    ];
  },
  'a session of the portal: 30 minutes unused, 8 hours in all (security, Defaults)': async () => {
    const portal = async () => {
      const own = at.browser();
      const page = await own.send('/admin/sign-in');
      const body = { token: field(page, 'token'), next: field(page, 'next'), email: 'tina@example.com' };
      await own.send('/admin/sign-in', { body: { ...body, password: 'memberdoor-development' } });
      return () => statusAt(own, `/admin/tenants/${at.host}`);
    };
    const [idle, used] = [await portal(), await portal()];
    return [
      ...everyUse(8 * hour, 29 * minute, used, '200'),
      [8 * hour, used, '303'],
      [30 * minute, idle, '303'],
    ];
  },
  'a page of a sign-in: 12 hours (pages 7)': async () => {
    const own = at.browser();
    const { location } = (await own.send('/sign-in')).headers;
    const open = () => statusAt(own, String(location));
    return [
      [12 * hour - second, open, '200'],
      [12 * hour, open, '403'],
    ];
  },
  'a code by mail: 10 minutes': async () => {
    const [early, late] = [
      await at.codeByMail('gro+tv@example.com'),
      await at.codeByMail('huda@example.com'),
    ];
    return [
      [599 * second, early, '303'],
      [600 * second, late, '410'],
    ];
  },
  'the link for a new password: 30 minutes': async () => {
    const open = await at.newPasswordLink('liv@example.com');
    return [
      [30 * minute - second, open, '200'],
      [30 * minute, open, '410'],
    ];
  },
  'the link of a sign-up: a day': async () => {
    const open = await at.signUpLink('grace@mail.test');
    return [
      [day - second, open, '200'],
      [day, open, '410'],
    ];
  },
  'a wrong password: five, then a minute to wait (security, A6)': async () => {
    const own = at.browser();
    for (let tries = 0; tries < 5; tries += 1)
      await at.passwordIn(own, 'kim@example.com', 'a wrong password');
    const right = () => at.passwordIn(at.browser(), 'kim@example.com', 'memberdoor-development');
    return [
      [59 * second, right, '429'],
      [60 * second, right, '303'],
    ];
  },
  'a checkout: two hours (decision 40)': async () => {
    const open = await at.checkout('bo@example.com');
    return [
      [2 * hour - second, open, 'Your postal address'],
      [2 * hour, open, 'This order has expired'],
    ];
  },
  'a subscription: from its beginning to its end (contract, "Member profile")': async () => {
    const active = async () => {
      const { accessToken: token } = await at.tokens('cy@example.com');
      const path = '/api/v1/members/profile/info-with-active-subscriptions';
      const answer = await at.http(at.host, path, { headers: { authorization: `Bearer ${token}` } });
      const { subscriptions } = answer.json<{ subscriptions: { packageName: string }[] }>();
      return subscriptions.map(({ packageName }) => packageName).join();
    };
    return [
      [0, active, ''],
      [day, active, 'Daily News'],
      [365 * day, active, 'Daily News'],
      [366 * day, active, ''],
    ];
  },
  'a signing key: published a day before it signs, for 90 days, and as long as its tokens live (security, Defaults; M16)':
    async () => {
      const [own] = await at.keys();
      const count = async () => String((await at.keys()).length);
      const signs = async () =>
        kidOf((await at.tokens('bo@example.com')).idToken) === own ? 'the first' : 'the next';
      const isThere = async () => ((await at.keys()).includes(own ?? '') ? 'published' : 'gone');
      return [
        [89 * day - hour, count, '1'],
        [89 * day, count, '2'],
        [90 * day - second, signs, 'the first'],
        [90 * day, signs, 'the next'],
        [90 * day + 3 * hour, isThere, 'published'],
        [90 * day + 4 * hour, isThere, 'gone'],
      ];
    },
};

beforeAll(async () => {
  door = await startMemberdoor({ clock: 'frozen' });
  at = atDoor(door);
  await door.rehearsal('/seed', { seed: 7 });
  const began = (await door.clock.now()).getTime();
  for (const [title, begin] of Object.entries(lives)) moments.set(title, [...(await begin())]);
  const all = [...moments].flatMap(([title, own]) => own.map((moment) => ({ title, moment })));
  let gone = 0;
  for (const { title, moment } of all.toSorted((one, other) => one.moment[0] - other.moment[0])) {
    const [after, look] = moment;
    if (after > gone) {
      const to = new Date(began + after);
      expect(await door.clock.freeze(to)).toEqual(to);
      gone = after;
    }
    found.set(title, [...(found.get(title) ?? []), `${after / second} s: ${await look()}`]);
  }
});

afterAll(async () => {
  at?.http.close();
  await door?.stop();
});

describe('what lives so long, and no moment more', () => {
  it.each(Object.keys(lives))('%s', (title) => {
    const expected = (moments.get(title) ?? [])
      .toSorted(([one], [other]) => one - other)
      .map(([after, , seen]) => `${after / second} s: ${seen}`);
    expect(expected).not.toEqual([]);
    expect(found.get(title)).toEqual(expected);
  });
});
