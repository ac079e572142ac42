import { beforeAll, describe, expect, it } from 'vitest';
import { disableMember } from '../../../../src/operations/member/member.ts';
import {
  apiStatus,
  approvedCodes,
  codesFor,
  expectEndedSignIn,
  type Phone,
  phoneOf,
  poll,
  startUnlimited,
  tenantOf,
  usedCodes,
} from '../../../support/device.ts';
import { expectJsonError } from '../../../support/expected/expectations.ts';
import { hosts } from '../../../support/fixtures.ts';
import { allRows } from '../../../support/records/rows.ts';
import { apps, claimsOf, profile, refreshAs, tokensOf } from '../../../support/tokens.ts';
import { useStarted } from '../../../support/use-service.ts';
import type { Tokens } from '../../../support/visitor.ts';

const { pub1, pub2, conf1 } = apps;

const service = useStarted(startUnlimited);
let phone: Phone;

beforeAll(async () => {
  phone = await phoneOf(service, hosts.a);
});

const codes = () => codesFor(service, hosts.a);
const pollAs = (deviceCode: string, app: Parameters<typeof poll>[3] = pub1) =>
  poll(service, hosts.a, deviceCode, app);
const refreshed = async (tokens: Tokens) => {
  const answer = await refreshAs(service, hosts.a, pub1, tokens.refresh_token);
  expect(answer.status, answer.text).toBe(200);
  return answer.json<Tokens & Record<string, unknown>>();
};
const times = <T>(count: number, work: () => Promise<T>) => Promise.all(Array.from({ length: count }, work));

const approved = (app?: Parameters<typeof poll>[3]) => approvedCodes(service, phone, app);
const used = () => usedCodes(service, phone);

/** Holds a request to changing nothing at all. */
const expectNoChange = async (work: () => Promise<void>) => {
  const before = await allRows(service);
  await work();
  expect(await allRows(service)).toEqual(before);
};

describe('while the member decides', () => {
  it('P1: a poll 5 s after the code is authorization_pending', async () => {
    const { device_code: deviceCode } = await codes();
    service.clock.advance(5_000);
    expectJsonError(await pollAs(deviceCode), 400, 'authorization_pending');
  });

  it('P2: a second poll 1 s after the first is slow_down', async () => {
    const { device_code: deviceCode } = await codes();
    service.clock.advance(5_000);
    expectJsonError(await pollAs(deviceCode), 400, 'authorization_pending');
    service.clock.advance(1_000);
    expectJsonError(await pollAs(deviceCode), 400, 'slow_down');
  });

  it('P16: a pending code is pending at 899 s and expired at 901 s', async () => {
    const issuedAt = service.clock.now();
    const { device_code: deviceCode } = await codes();
    service.clock.set(issuedAt + 899_000);
    expectJsonError(await pollAs(deviceCode), 400, 'authorization_pending');
    service.clock.set(issuedAt + 901_000);
    expectJsonError(await pollAs(deviceCode), 400, 'expired_token');
    expectJsonError(await pollAs(deviceCode), 400, 'expired_token');
  });

  it('P15: a rejected code is access_denied, at every poll', async () => {
    const { device_code: deviceCode, user_code: userCode } = await codes();
    await phone.reject(userCode);
    expectJsonError(await pollAs(deviceCode), 400, 'access_denied');
    expectJsonError(await pollAs(deviceCode), 400, 'access_denied');
  });
});

describe('after the approval', () => {
  it('P7: the first poll gets the six fields of the token response', async () => {
    const { device_code: deviceCode } = await approved();
    service.clock.advance(5_000);
    const answer = await pollAs(deviceCode);
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    const { access_token, id_token, refresh_token, ...rest } = answer.json();
    expect(rest).toEqual({ token_type: 'Bearer', expires_in: 3600, scope: 'openid offline_access' });
    for (const given of [access_token, id_token, refresh_token]) expect(given).toMatch(/^[\w.-]+$/);
  });

  it('P9: the same poll again is invalid_grant and ends the sign-in; the access token lives until it expires', async () => {
    const { device_code: deviceCode, tokens } = await used();
    service.clock.advance(5_000);
    expectJsonError(await pollAs(deviceCode), 400, 'invalid_grant');
    await expectEndedSignIn(service, hosts.a, tokens);
    expect(await apiStatus(service, hosts.a, tokens)).toBe(200);
    service.clock.advance(3_600_000);
    expect(await apiStatus(service, hosts.a, tokens)).toBe(401);
  });

  it('P9: it ends the refresh tokens that came of the first one too', async () => {
    const { device_code: deviceCode, tokens } = await used();
    const next = await refreshed(tokens);
    expectJsonError(await pollAs(deviceCode), 400, 'invalid_grant');
    await expectEndedSignIn(service, hosts.a, next);
  });

  it('P13: of 50 parallel polls exactly one gets tokens, and the sign-in has ended', async () => {
    const fifty = <T>(work: () => Promise<T>) => times(50, work);
    await fifty(() => service.http(hosts.a, '/api/oidc/jwks'));
    for (let round = 0; round < 20; round += 1) {
      const { device_code: deviceCode } = await approved();
      const answers = await fifty(() => pollAs(deviceCode));
      const winners = answers.filter(({ status }) => status === 200);
      expect(winners).toHaveLength(1);
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        expectJsonError(answer, 400, 'invalid_grant');
      }
      for (const winner of winners) {
        await expectEndedSignIn(service, hosts.a, winner.json<Tokens & Record<string, unknown>>());
      }
    }
  });

  it('P28: its tokens are those of the web flow: same issuer, audience and member, both good for the API', async () => {
    const { tokens: device } = await used();
    const web = await tokensOf(service, hosts.a, pub1);
    const [ofDevice, ofWeb] = [claimsOf(device.access_token), claimsOf(web.access_token)];
    for (const claim of ['iss', 'aud', 'sub', 'client_id', 'scope']) {
      expect(ofDevice[claim], claim).toEqual(ofWeb[claim]);
    }
    expect(Object.keys(ofDevice).sort()).toEqual(Object.keys(ofWeb).sort());
    const [idOfDevice, idOfWeb] = [claimsOf(device.id_token), claimsOf(web.id_token)];
    for (const claim of ['iss', 'aud', 'sub']) expect(idOfDevice[claim], claim).toEqual(idOfWeb[claim]);
    const answers = [device, web].map(({ access_token: accessToken }) =>
      profile(service, hosts.a, accessToken),
    );
    const [atDevice, atWeb] = await Promise.all(answers);
    expect(atDevice?.status).toBe(200);
    expect(atDevice?.json()).toEqual(atWeb?.json());
  });

  it('decision 28: a member who was disabled before the first poll gets no tokens for the TV', async () => {
    const second = await phoneOf(service, hosts.a, 'u2@example.test');
    const { device_code: deviceCode, user_code: userCode } = await codes();
    const page = await second.open(userCode);
    const { memberId } = await service.store.transaction(async (tx) => {
      const { id } = await tx
        .selectFrom('members')
        .select('id')
        .where('tenantId', '=', tenantOf(service, hosts.a).id)
        .where('normalisedEmail', '=', 'u2@example.test')
        .executeTakeFirstOrThrow();
      return { memberId: id };
    });
    await second.press(page, 'approve');
    const { id: tenantId } = tenantOf(service, hosts.a);
    await service.store.transaction((tx) => disableMember(tx, tenantId, memberId, service.clock.now()));
    expectJsonError(await pollAs(deviceCode), 400, 'invalid_grant');
    expectJsonError(await pollAs(deviceCode), 400, 'invalid_grant');
  });
});

describe('another client', () => {
  it("P10: another client's poll of a used code leaves the sign-in alone", async () => {
    const { device_code: deviceCode, tokens } = await used();
    await expectNoChange(async () => expectJsonError(await pollAs(deviceCode, pub2), 400, 'invalid_grant'));
    await refreshed(tokens);
  });

  it("P11: another client's polls of a pending code do not count as its polls", async () => {
    const { device_code: deviceCode } = await codes();
    service.clock.advance(5_000);
    expectJsonError(await pollAs(deviceCode), 400, 'authorization_pending');
    for (let count = 0; count < 20; count += 1) {
      service.clock.advance(250);
      expectJsonError(await pollAs(deviceCode, pub2), 400, 'invalid_grant');
    }
    expectJsonError(await pollAs(deviceCode), 400, 'authorization_pending');
  });

  it("P12: another client's poll of an approved code leaves it to its own client", async () => {
    const { device_code: deviceCode } = await approved();
    await expectNoChange(async () => expectJsonError(await pollAs(deviceCode, pub2), 400, 'invalid_grant'));
    expect((await pollAs(deviceCode)).status).toBe(200);
  });

  it('X1: a code of one tenant is unknown to the client of the same name on another, and unchanged', async () => {
    const { device_code: deviceCode } = await approved();
    await expectNoChange(async () =>
      expectJsonError(await poll(service, hosts.b, deviceCode), 400, 'invalid_grant'),
    );
    expect((await pollAs(deviceCode)).status).toBe(200);
  });

  it('P21: a public client that sends a secret, and a confidential one without its, change nothing', async () => {
    const { device_code: deviceCode } = await approved();
    const ofConf1 = await approved(conf1);
    await expectNoChange(async () => {
      expectJsonError(await pollAs(deviceCode, { ...pub1, secret: 'x' }), 401, 'invalid_client');
      const none = await pollAs(ofConf1.device_code, { clientId: 'conf1' });
      expectJsonError(none, 401, 'invalid_client');
      const wrong = await pollAs(ofConf1.device_code, { clientId: 'conf1', secret: 'wrong' });
      expectJsonError(wrong, 401, 'invalid_client');
    });
    expect((await pollAs(deviceCode)).status).toBe(200);
    expect((await pollAs(ofConf1.device_code, conf1)).status).toBe(200);
  });
});
