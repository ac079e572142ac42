import { expect, it, onTestFinished } from 'vitest';
import {
  approvedCodes,
  codesFor,
  expectEndedSignIn,
  expectNotValid,
  phoneOf,
  poll,
  pollTokens,
  usedCodes,
} from '../../../support/device.ts';
import { expectJsonError } from '../../../support/expected/expectations.ts';
import { hosts } from '../../../support/fixtures.ts';
import { startProcess } from '../../../support/process/process.ts';
import { temporaryFolder } from '../../../support/records/temporary-folder.ts';
import { freePort } from '../../../support/service.ts';
import { refreshAs } from '../../../support/tokens.ts';
import { serviceForTest } from '../../../support/use-service.ts';

it('P27: pending, approved, denied, expired and used codes are after a restart what they were', async () => {
  const service = await serviceForTest({ data: 'security' });
  const expired = await codesFor(service, hosts.a);
  service.clock.advance(800_000);
  const phone = await phoneOf(service, hosts.a);
  const [pending, kept, denied] = [
    await codesFor(service, hosts.a),
    await codesFor(service, hosts.a),
    await codesFor(service, hosts.a),
  ];
  await phone.reject(denied.user_code);
  const approved = await approvedCodes(service, phone);
  const used = await usedCodes(service, phone);
  service.clock.advance(110_000);
  await service.restart();

  const error = async (deviceCode: string, expected: string) =>
    expectJsonError(await poll(service, hosts.a, deviceCode), 400, expected);
  await error(pending.device_code, 'authorization_pending');
  await error(denied.device_code, 'access_denied');
  await error(expired.device_code, 'expired_token');
  await pollTokens(service, hosts.a, approved.device_code);
  await error(used.device_code, 'invalid_grant');
  await expectEndedSignIn(service, hosts.a, used.tokens);

  const [again, other] = [
    await phoneOf(service, hosts.a),
    await phoneOf(service, hosts.a, 'u2@example.test'),
  ];
  for (const { user_code: userCode } of [expired, denied, used]) expectNotValid(await other.open(userCode));
  await again.approve(kept.user_code);
  await pollTokens(service, hosts.a, kept.device_code);
});

it('P27: an approve page opened before a restart approves after it', async () => {
  const service = await serviceForTest({ data: 'security' });
  const phone = await phoneOf(service, hosts.a);
  const { device_code: deviceCode, user_code: userCode } = await codesFor(service, hosts.a);
  const page = await phone.open(userCode);
  await service.restart();

  const same = await phoneOf(service, hosts.a);
  same.cookies.clear();
  for (const [name, value] of phone.cookies) same.cookies.set(name, value);
  expect((await same.press(page, 'approve')).headers.location).toMatch(/^\/device\/approved\?/);
  await pollTokens(service, hosts.a, deviceCode);
});

it('contract, slow_down: the longer interval holds after a restart, where the first poll is not too early', async () => {
  const service = await serviceForTest({ data: 'security' });
  const { device_code: deviceCode } = await codesFor(service, hosts.a);
  const start = service.clock.now();
  expectJsonError(await poll(service, hosts.a, deviceCode), 400, 'authorization_pending');
  expectJsonError(await poll(service, hosts.a, deviceCode), 400, 'slow_down');
  await service.restart();

  const pollAt = (ms: number) => {
    service.clock.set(start + ms);
    return poll(service, hosts.a, deviceCode);
  };
  expectJsonError(await pollAt(100), 400, 'authorization_pending');
  expectJsonError(await pollAt(100 + 9_000), 400, 'authorization_pending');
  expectJsonError(await pollAt(100 + 9_000 + 8_999), 400, 'slow_down');
});

it('P27: what was answered before a kill -9 holds after it: pending, approved, denied, used, revoked by reuse', async () => {
  const folder = temporaryFolder();
  const port = await freePort();
  const host = `localhost:${port}`;
  const tv = { clientId: 'tv' };
  const first = await startProcess(folder, port);
  onTestFinished(() => first.kill('SIGKILL'));
  const { service: before } = first;
  const phone = await phoneOf(before, host, 'ada@example.com');
  const [pending, denied] = [await codesFor(before, host, tv), await codesFor(before, host, tv)];
  await phone.reject(denied.user_code);
  const [used, reused] = [await usedCodes(before, phone, tv), await usedCodes(before, phone, tv)];
  expectJsonError(await poll(before, host, reused.device_code, tv), 400, 'invalid_grant');
  const approved = await approvedCodes(before, phone, tv);
  await first.kill('SIGKILL');

  const { service: after, kill } = await startProcess(folder, port);
  onTestFinished(() => kill('SIGKILL'));
  const error = async (deviceCode: string, expected: string) =>
    expectJsonError(await poll(after, host, deviceCode, tv), 400, expected);
  const refresh = (refreshToken: string | undefined) =>
    refreshAs(after, host, { ...tv, redirectUri: '' }, refreshToken);
  await error(pending.device_code, 'authorization_pending');
  await error(denied.device_code, 'access_denied');
  await pollTokens(after, host, approved.device_code, tv);
  await error(approved.device_code, 'invalid_grant');
  expectJsonError(await refresh(reused.tokens.refresh_token), 400, 'invalid_grant');
  expect((await refresh(used.tokens.refresh_token)).status).toBe(200);
  await error(used.device_code, 'invalid_grant');

  const again = await phoneOf(after, host, 'ada@example.com');
  await again.approve(pending.user_code);
  await pollTokens(after, host, pending.device_code, tv);
});
