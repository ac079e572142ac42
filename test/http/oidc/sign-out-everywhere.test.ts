import { expect, it } from 'vitest';
import { codesFor, phoneOf, poll } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import { recoveryLink, submitReset } from '../../support/members/recover.ts';
import { newPassword } from '../../support/members/sign-up.ts';
import { useService } from '../../support/use-service.ts';
import { codeFor, token, visitor } from '../../support/visitor.ts';

const service = useService({ data: 'security' });

const email = 'u2@example.test';

it('a new password with "everywhere" ends what was begun and not yet fetched: codes and approved TVs', async () => {
  const thief = visitor(service, hosts.a);
  const { code, verifier } = await codeFor(thief, 'pub1', 'https://pub1.test/cb', {}, email);
  const tv = await codesFor(service, hosts.a);
  const phone = await phoneOf(service, hosts.a, email);
  await phone.approve(tv.user_code);

  const link = await recoveryLink(service, hosts.a, email);
  expect((await submitReset(visitor(service, hosts.a), link, newPassword)).status).toBe(200);

  const exchanged = await token(service, hosts.a, {
    grant_type: 'authorization_code',
    client_id: 'pub1',
    code,
    code_verifier: verifier,
  });
  expect(exchanged.json()).toMatchObject({ error: 'invalid_grant' });
  expect((await poll(service, hosts.a, tv.device_code)).json()).toMatchObject({ error: 'invalid_grant' });
});

it('a link for a new password ends with the use of another one', async () => {
  const [first, second] = [
    await recoveryLink(service, hosts.a, email),
    await recoveryLink(service, hosts.a, email),
  ];
  expect((await submitReset(visitor(service, hosts.a), first, 'a first new phrase')).status).toBe(200);
  expect((await submitReset(visitor(service, hosts.a), second, 'a second new phrase')).status).toBe(410);
});
