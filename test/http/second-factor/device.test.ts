import { beforeAll, expect, it } from 'vitest';
import { minute } from '../../../src/core/limits.ts';
import { codesFor, phoneOf, poll, pollTokens } from '../../support/device.ts';
import { hosts, passwords } from '../../support/fixtures.ts';
import { run } from '../../support/operators/desk.ts';
import { useService } from '../../support/use-service.ts';
import { field } from '../../support/visitor.ts';

const service = useService({ data: 'security' });
const email = 'u1@example.test';

beforeAll(() => run(service, 'tenants.change', { tenant: hosts.a, deviceFactor: 'fresh' }));

it('SF17: a TV is approved within five minutes of the sign-in; later the member signs in again first', async () => {
  const phone = await phoneOf(service, hosts.a);
  const first = await codesFor(service, hosts.a);
  await phone.press(await phone.open(first.user_code), 'approve');
  await pollTokens(service, hosts.a, first.device_code);

  const second = await codesFor(service, hosts.a);
  const page = await phone.open(second.user_code);
  service.clock.advance(5 * minute);
  const late = await phone.press(page, 'approve');
  expect(late.headers.location).toMatch(/^\/sign-in\?flow=/);
  expect((await poll(service, hosts.a, second.device_code)).json()).toMatchObject({
    error: 'authorization_pending',
  });
  // Who opens the code late is asked before anything is shown, and is not sent on since she is signed in.
  const opened = await phone.open(second.user_code);
  expect(opened.headers.location).toMatch(/^\/sign-in\?flow=/);
  const signIn = await phone.send(String(opened.headers.location));
  expect(field(signIn, 'email')).toBe(email);
  const back = await phone.signIn(signIn, email, passwords[hosts.a][email]);
  expect(back.headers.location).toBe(`/device?user_code=${encodeURIComponent(second.user_code)}`);
  await phone.press(await phone.open(second.user_code), 'approve');
  service.clock.advance(minute);
  await pollTokens(service, hosts.a, second.device_code);
});

it('SF17: a TV is rejected at any time', async () => {
  const phone = await phoneOf(service, hosts.a);
  const { user_code: userCode, device_code: deviceCode } = await codesFor(service, hosts.a);
  const page = await phone.open(userCode);
  service.clock.advance(6 * minute);
  expect((await phone.press(page, 'reject')).headers.location).toMatch(/^\/device\/rejected/);
  expect((await poll(service, hosts.a, deviceCode)).json()).toMatchObject({ error: 'access_denied' });
});
