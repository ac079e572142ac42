import { afterEach, describe, expect, it } from 'vitest';
import { codesFor, poll } from '../../support/device.ts';
import { roomOf } from '../../support/rehearsal/rehearsal.ts';
import { useService } from '../../support/use-service.ts';

const service = useService({ data: 'development' });
const host = () => `localhost:${service.port}`;
const room = () => roomOf(service, host());

/** What the clock says. */
const told = async () =>
  (await service.http(host(), '/rehearsal/clock')).json<Told & Record<string, unknown>>();

interface Told {
  readonly now: string;
  readonly frozen: boolean;
  readonly ahead: number;
}

afterEach(async () => {
  await room().ask('clock', { reset: true });
});

describe('the clock of a development start', () => {
  it('goes as the system’s does, until it is moved', async () => {
    const { now, frozen, ahead } = await told();
    expect(Date.parse(now)).toBeLessThan(service.clock.now());
    expect({ frozen, ahead }).toEqual({ frozen: false, ahead: 0 });
  });

  it.each([
    ['15m', 15 * 60],
    ['1h30m', 90 * 60],
    ['250ms', 0.25],
    ['90', 90],
    [86_400, 86_400],
  ])('goes on by %s', async (advance, seconds) => {
    const { now } = await told();
    const moved = (await room().ask('clock', { advance })).json<Told & Record<string, unknown>>();
    expect(Date.parse(moved.now) - Date.parse(now) - seconds * 1_000).toBeLessThan(100);
    expect(Math.round((await told()).ahead * 10) / 10).toBeCloseTo(seconds, 0);
  });

  it('stands, goes on while it stands, and goes on from where it stood', async () => {
    const { now } = (await room().ask('clock', { freeze: true })).json<Told & Record<string, unknown>>();
    service.clock.advance(60_000);
    expect(await told()).toMatchObject({ now, frozen: true });
    await room().ask('clock', { advance: 1 });
    const standing = await told();
    expect(Date.parse(standing.now)).toBe(Date.parse(now) + 1_000);
    await room().ask('clock', { freeze: false });
    service.clock.advance(5_000);
    const going = await told();
    expect(going.frozen).toBe(false);
    expect(Date.parse(going.now) - Date.parse(standing.now) - 5_000).toBeLessThan(100);
  });

  it('goes on to a time, and back to the real time alone', async () => {
    const to = '2031-05-06T07:08:09.000Z';
    await room().ask('clock', { to, freeze: true });
    expect((await told()).now).toBe(to);
    const back = await room().ask('clock', { to: '2031-05-06T07:08:08.999Z' });
    expect(back.status).toBe(409);
    expect(back.json().error_description).toContain('by reset alone');
    expect((await told()).now).toBe(to);
    await room().ask('clock', { reset: true });
    expect(await told()).toMatchObject({ frozen: false, ahead: 0 });
  });

  it('is told by every answer of the tenant', async () => {
    await room().ask('clock', { to: '2031-01-01T00:00:00.000Z', freeze: true });
    for (const path of ['/.well-known/openid-configuration', '/sign-in', '/api/oidc/me', '/nowhere']) {
      const { headers } = await service.http(host(), path);
      expect(headers['memberdoor-time'], path).toBe('2031-01-01T00:00:00.000Z');
    }
  });

  it('is obeyed by what is under way', async () => {
    const tv = { clientId: 'tv' };
    const { device_code: code } = await codesFor(service, host(), tv);
    await room().ask('clock', { advance: '899s' });
    expect((await poll(service, host(), code, tv)).json().error).toBe('authorization_pending');
    await room().ask('clock', { advance: 1 });
    expect((await poll(service, host(), code, tv)).json().error).toBe('expired_token');
  });

  it.each([
    { advance: 'tomorrow' },
    { advance: -1 },
    { advance: '' },
    { to: 'tomorrow' },
    { freeze: 'yes' },
    { back: '15m' },
    { advance: 1e300 },
    { advance: '999999999999d' },
  ])('refuses %j, and stays as it is', async (move) => {
    const answer = await room().ask('clock', move);
    expect([400, 409]).toContain(answer.status);
    expect(await told()).toMatchObject({ frozen: false, ahead: 0 });
  });

  it('is moved by a form too, which leads back to its page', async () => {
    const body = { advance: '15m', freeze: 'true', back: '/rehearsal/web' };
    const answer = await service.http(host(), '/rehearsal/clock', { body });
    expect(answer).toMatchObject({ status: 303, headers: { location: '/rehearsal/web' } });
    expect(await told()).toMatchObject({ frozen: true, ahead: expect.closeTo(900, 0) });
  });

  it.each([
    ['//evil.test', '/rehearsal'],
    ['/\\evil.test', '/rehearsal'],
    ['https://evil.test/rehearsal', '/rehearsal'],
    ['http://localhost@evil.test/rehearsal', '/rehearsal'],
    ['/rehearsal/../account', '/rehearsal'],
    ['/rehearsal/%2e%2e/account', '/rehearsal'],
    ['/rehearsals', '/rehearsal'],
    ['/rehearsal\r\nSet-Cookie: a=b', '/rehearsal'],
    ['/rehearsal/web\r\n', '/rehearsal/web'],
    ['/rehearsal?client=\u{1f4fa}#wire', '/rehearsal?client=%F0%9F%93%BA#wire'],
  ])('RR75: leads a form back to pages of the room alone: %j', async (back, location) => {
    const led = await service.http(host(), '/rehearsal/clock', { body: { freeze: 'false', back } });
    expect(led).toMatchObject({ status: 303, headers: { location } });
    expect(led.headers['set-cookie']).toBeUndefined();
  });
});
