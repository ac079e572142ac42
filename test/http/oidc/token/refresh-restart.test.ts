import { expect, it, onTestFinished } from 'vitest';
import { hosts } from '../../../support/fixtures.ts';
import { startProcess } from '../../../support/process/process.ts';
import { temporaryFolder } from '../../../support/records/temporary-folder.ts';
import { freePort } from '../../../support/service.ts';
import { apps, expectError, refreshAs, tokensOf } from '../../../support/tokens.ts';
import { serviceForTest } from '../../../support/use-service.ts';
import type { Tokens } from '../../../support/visitor.ts';

it('T23: an old refresh token sent after a restart ends the whole sign-in', async () => {
  const service = await serviceForTest({ data: 'security' });
  const first = await tokensOf(service, hosts.a, apps.pub1);
  const next = (await refreshAs(service, hosts.a, apps.pub1, first.refresh_token)).json<Tokens>();
  await service.restart();

  for (const dead of [first.refresh_token, next.refresh_token]) {
    expectError(await refreshAs(service, hosts.a, apps.pub1, dead), 400, 'invalid_grant');
  }
});

it('T23: the current refresh token works after a restart', async () => {
  const service = await serviceForTest({ data: 'security' });
  const { refresh_token: current } = await tokensOf(service, hosts.a, apps.pub1);
  await service.restart();

  expect((await refreshAs(service, hosts.a, apps.pub1, current)).status).toBe(200);
});

it('T23: an old refresh token sent after a kill -9 ends the whole sign-in, and the current one outlived it', async () => {
  const folder = temporaryFolder();
  const port = await freePort();
  const host = `localhost:${port}`;
  const email = 'ada@example.com';

  const before = await startProcess(folder, port);
  onTestFinished(() => before.kill('SIGKILL'));
  const [first, other] = [
    await tokensOf(before.service, host, apps.spa, { email }),
    await tokensOf(before.service, host, apps.spa, { email }),
  ];
  const next = (await refreshAs(before.service, host, apps.spa, first.refresh_token)).json<Tokens>();
  const kept = (await refreshAs(before.service, host, apps.spa, other.refresh_token)).json<Tokens>();
  await before.kill('SIGKILL');

  const { service, kill } = await startProcess(folder, port);
  onTestFinished(() => kill('SIGKILL'));
  for (const dead of [first.refresh_token, next.refresh_token]) {
    expectError(await refreshAs(service, host, apps.spa, dead), 400, 'invalid_grant');
  }
  expect((await refreshAs(service, host, apps.spa, kept.refresh_token)).status).toBe(200);
});
