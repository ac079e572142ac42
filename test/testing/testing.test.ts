import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Door } from '../../src/testing/door.ts';
import { startMemberdoor } from '../../src/testing/testing.ts';

const json = async (url: string, init?: RequestInit) =>
  (await (await fetch(url, init)).json()) as Record<string, unknown>;

describe('a door of one’s own tenants', () => {
  let door: Door;
  beforeAll(async () => {
    door = await startMemberdoor({
      tenants: [
        {
          name: 'Shop',
          clients: [
            { clientId: 'spa', redirectUris: ['http://localhost:5173/callback'] },
            {
              clientId: 'web',
              secret: 'a-secret-for-development',
              redirectUris: ['http://localhost:8080/callback'],
            },
            { clientId: 'tv', deviceFlow: true },
            { clientId: 'partner', thirdParty: true, redirectUris: ['http://localhost:5175/callback'] },
          ],
          members: [{ email: 'ada@example.com', fullName: 'Ada Nilsen' }],
        },
        { name: 'Other', clients: [{ clientId: 'spa', redirectUris: ['http://localhost:5174/callback'] }] },
      ],
      members: ['bo@example.com'],
      clock: 'frozen',
    });
  });
  afterAll(() => door.stop());

  it('lives at localhost, and its second tenant at 127.0.0.1', () => {
    expect(door.tenants.map(({ name, issuer }) => [name, issuer])).toEqual([
      ['Shop', `http://localhost:${door.port}`],
      ['Other', `http://127.0.0.1:${door.port}`],
    ]);
    expect(door.tenant('Other').issuer).toBe(door.tenants[1]?.issuer);
    expect(() => door.tenant('Nobody’s')).toThrow('no tenant "Nobody’s"');
  });

  it('signs members in at a client: with tokens that work, of a public one and of one with a secret', async () => {
    const { accessToken, idToken, refreshToken, expiresIn } = await door.signIn('ada@example.com', {
      client: 'spa',
    });
    expect(expiresIn).toBeGreaterThan(0);
    expect([idToken?.split('.').length, typeof refreshToken]).toEqual([3, 'string']);
    const headers = { authorization: `Bearer ${accessToken}` };
    expect(await json(`${door.issuer}/api/oidc/me`, { headers })).toMatchObject({ email: 'ada@example.com' });
    expect((await door.signIn('bo@example.com', { client: 'web', scope: 'openid' })).scope).toBe('openid');
    await expect(door.signIn('nobody@example.com')).rejects.toThrow(/^memberdoor: /);
    await expect(door.signIn('ada@example.com', { client: 'nothing' })).rejects.toThrow('gets no code');
  });

  it('allows a third party’s client what it asks for, as often as it asks', async () => {
    const signIn = () => door.signIn('bo@example.com', { client: 'partner', scope: 'openid email' });
    expect((await signIn()).scope).toBe('openid email');
    expect((await signIn()).scope).toBe('openid email');
  });

  it('signs members in in a browser, as Playwright keeps it', async () => {
    const { cookies, origins } = await door.signIn('ada@example.com');
    expect(origins).toEqual([]);
    expect(cookies).toMatchObject([
      { domain: 'localhost', path: '/', httpOnly: true, secure: false, sameSite: 'Lax' },
    ]);
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    expect(await (await fetch(`${door.issuer}/account`, { headers: { cookie } })).text()).toContain(
      'Ada Nilsen',
    );
  });

  it('decides on TVs by their codes, and moves the clock of all codes', async () => {
    const form = (fields: Record<string, string>) => ({ method: 'POST', body: new URLSearchParams(fields) });
    const begin = () =>
      json(`${door.issuer}/api/oidc/device/auth`, form({ client_id: 'tv', scope: 'openid' }));
    const poll = ({ device_code }: Record<string, unknown>) =>
      json(
        `${door.issuer}/api/oidc/token`,
        form({
          grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
          client_id: 'tv',
          device_code: String(device_code),
        }),
      );
    const approved = await begin();
    await door.approve(String(approved.user_code), 'ada@example.com');
    expect(await poll(approved)).toHaveProperty('access_token');
    const rejected = await begin();
    await door.reject(String(rejected.user_code));
    expect(await poll(rejected)).toMatchObject({ error: 'access_denied' });
    const late = await begin();
    const before = await door.clock.now();
    expect((await door.clock.advance('20m')).getTime() - before.getTime()).toBe(1_200_000);
    expect(await poll(late)).toMatchObject({ error: 'expired_token' });
    await door.fault({ kind: 'slow_down', endpoint: 'token' });
    expect(await poll(await begin())).toMatchObject({ error: 'slow_down' });
  });

  it('goes back to what there was after the start, its clock too', async () => {
    await door.clock.advance('30d');
    const { cookies } = await door.signIn('ada@example.com');
    await door.reset();
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const { status } = await fetch(`${door.issuer}/account`, { headers: { cookie }, redirect: 'manual' });
    expect(status).toBe(303);
    const [one, other] = [await door.clock.now(), await door.clock.now()];
    expect(other).toEqual(one);
    expect(Math.abs(one.getTime() - Date.now())).toBeLessThan(24 * 3_600_000);
    expect(await door.mails()).toEqual([]);
  });
});

it('says what is wrong with what it is given, and leaves nothing running', async () => {
  const wrong = startMemberdoor({ tenants: [{ name: 'Shop', colour: 'red' }] });
  await expect(wrong).rejects.toThrow(/memberdoor did not start:\n-:\d+:\d+: .*colour/);
});

it('RR34: ends with the program that started it, however that ends', async () => {
  const program = `
    const { startMemberdoor } = await import(${JSON.stringify(new URL('../../src/testing/testing.ts', import.meta.url).href)});
    const door = await startMemberdoor();
    console.log(door.issuer);
    setInterval(() => {}, 1_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const issuer = line.toString().trim();
  expect((await json(`${issuer}/.well-known/openid-configuration`)).issuer).toBe(issuer);
  child.kill('SIGKILL');
  const answers = () =>
    fetch(`${issuer}/.well-known/openid-configuration`).then(
      () => true,
      () => false,
    );
  while (await answers());
});
