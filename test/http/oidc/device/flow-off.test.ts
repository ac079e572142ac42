import { beforeEach, describe, expect, it } from 'vitest';
import { setDeviceFlow } from '../../../../src/operations/client/client.ts';
import {
  approvedCodes,
  askForCode,
  codesFor,
  expectNotValid,
  type Phone,
  phoneOf,
  poll,
  pollTokens,
  startUnlimited,
  tenantOf,
  usedCodes,
} from '../../../support/device.ts';
import { expectJsonError } from '../../../support/expected/expectations.ts';
import { hosts } from '../../../support/fixtures.ts';
import { apps, refreshAs } from '../../../support/tokens.ts';
import { useStartedAnew } from '../../../support/use-service.ts';

const service = useStartedAnew(startUnlimited);
let phone: Phone;

beforeEach(async () => {
  phone = await phoneOf(service, hosts.a);
});

/** Turns the device flow of clients on or off, as an operator does. */
const turn = async (enabled: boolean, ...clientIds: string[]) => {
  const { id } = tenantOf(service, hosts.a);
  await service.store.transaction(async (tx) => {
    for (const clientId of clientIds) expect(await setDeviceFlow(tx, id, clientId, enabled)).toBe(true);
    await service.tenants.reload(tx);
  });
};

const codes = () => codesFor(service, hosts.a);
const expectError = async (deviceCode: string, error: string) =>
  expectJsonError(await poll(service, hosts.a, deviceCode), 400, error);

describe('turning the device flow of a client off', () => {
  it('its pending and approved codes are invalid_grant at once', async () => {
    const pending = await codes();
    const approved = await approvedCodes(service, phone);
    await turn(false, 'pub1');
    await expectError(pending.device_code, 'invalid_grant');
    await expectError(approved.device_code, 'invalid_grant');
  });

  it('its codes are not valid on the page any more, also on one that is open', async () => {
    const pending = await codes();
    const page = await phone.open(pending.user_code);
    await turn(false, 'pub1');
    expectNotValid(await phone.open(pending.user_code));
    expectNotValid(await phone.press(page, 'approve'));
    expectNotValid(await phone.press(page, 'reject'));
  });

  it('it gets no further codes', async () => {
    await turn(false, 'pub1');
    expectJsonError(await askForCode(service, hosts.a), 400, 'invalid_request');
  });

  it('turning it on again revives nothing that was pending or approved', async () => {
    const pending = await codes();
    const page = await phone.open(pending.user_code);
    const approved = await approvedCodes(service, phone);
    await turn(false, 'pub1');
    await turn(true, 'pub1');
    await expectError(pending.device_code, 'invalid_grant');
    await expectError(approved.device_code, 'invalid_grant');
    expectNotValid(await phone.open(pending.user_code));
    expectNotValid(await phone.press(page, 'approve'));
    await expectError(pending.device_code, 'invalid_grant');
    const { device_code: deviceCode } = await approvedCodes(service, phone);
    await pollTokens(service, hosts.a, deviceCode);
  });

  it('TVs that are signed in stay so', async () => {
    const { tokens } = await usedCodes(service, phone);
    await turn(false, 'pub1');
    const answer = await refreshAs(service, hosts.a, apps.pub1, tokens.refresh_token);
    expect(answer.status, answer.text).toBe(200);
  });

  it('a used code that is polled again ends its sign-in even then', async () => {
    const { device_code: deviceCode, tokens } = await usedCodes(service, phone);
    await turn(false, 'pub1');
    await expectError(deviceCode, 'invalid_grant');
    const answer = await refreshAs(service, hosts.a, apps.pub1, tokens.refresh_token);
    expectJsonError(answer, 400, 'invalid_grant');
  });

  it("other clients' codes go on", async () => {
    const other = await codesFor(service, hosts.a, apps.pub2);
    await turn(false, 'pub1');
    await phone.approve(other.user_code);
    await pollTokens(service, hosts.a, other.device_code, apps.pub2);
  });

  it('the client of the same name on another tenant is not concerned', async () => {
    const other = await codesFor(service, hosts.b);
    await turn(false, 'pub1');
    expectJsonError(await poll(service, hosts.b, other.device_code), 400, 'authorization_pending');
  });

  it('an unknown client is told as such, and nothing is changed', async () => {
    const { id } = tenantOf(service, hosts.a);
    expect(await service.store.transaction((tx) => setDeviceFlow(tx, id, 'nobody', false))).toBe(false);
  });
});

describe('D6: with the last client', () => {
  const discovery = async () => (await service.http(hosts.a, '/.well-known/openid-configuration')).json();

  it('the endpoint, the pages and what discovery says of them go, and come back with the first', async () => {
    const { device_code: deviceCode } = await codes();
    await turn(false, 'pub1', 'pub2');
    expect(await discovery()).toHaveProperty('device_authorization_endpoint');

    await turn(false, 'conf1');
    expect((await askForCode(service, hosts.a)).status).toBe(404);
    expect((await phone.send('/device')).status).toBe(404);
    const gone = await discovery();
    expect(gone).not.toHaveProperty('device_authorization_endpoint');
    expect(gone).not.toHaveProperty('revocation_endpoint');
    await expectError(deviceCode, 'invalid_grant');

    await turn(true, 'pub2');
    expect(await discovery()).toHaveProperty('device_authorization_endpoint');
    expect((await askForCode(service, hosts.a, apps.pub2)).status).toBe(200);
    expect((await phone.send('/device')).status).toBe(200);
    await expectError(deviceCode, 'invalid_grant');
  });
});
