import { beforeAll, describe, expect, it } from 'vitest';
import { importBatch } from '../../../src/core/import/limits.ts';
import { approvedCodes, codesFor, type Phone, phoneOf, poll, pollTokens } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import { takeLines } from '../../support/members/moving-in/take-lines.ts';
import { countTrips } from '../../support/proxy/round-trips.ts';
import { sharedDatabase } from '../../support/run/test-store.ts';
import { startTestService } from '../../support/service.ts';
import { apps, profile, refreshAs, tokensOf } from '../../support/tokens.ts';
import { useStarted } from '../../support/use-service.ts';
import { codeFor, token } from '../../support/visitor.ts';

const { a } = hosts;

describe('a service with remembered clients and prepared queries', () => {
  const database = useStarted(async () => countTrips(await sharedDatabase()));
  const service = useStarted(() => startTestService({ data: 'security', database: database.url }));
  let phone: Phone;
  beforeAll(async () => {
    phone = await phoneOf(service, a);
  });

  /** Does something on a connection that has done it before, and again. @returns how many round trips that took */
  async function tripsOf(prepare: () => Promise<() => Promise<unknown>>): Promise<number> {
    await (await prepare())();
    const act = await prepare();
    // The end of a look-up, which nothing waits for, is not this one's.
    await service.store.transaction(async () => {});
    const before = database.trips();
    await act();
    return database.trips() - before;
  }

  const done = {
    'a refresh': async () => {
      const { refresh_token } = await tokensOf(service, a, apps.pub1);
      return async () => expect((await refreshAs(service, a, apps.pub1, refresh_token)).status).toBe(200);
    },
    'a refresh by a client with a secret': async () => {
      const { refresh_token } = await tokensOf(service, a, apps.conf1);
      return async () => expect((await refreshAs(service, a, apps.conf1, refresh_token)).status).toBe(200);
    },
    'a device authorization': async () => async () => codesFor(service, a),
    'a device authorization, looking for those of other processes': async () => {
      service.clock.advance(1_000);
      return async () => codesFor(service, a);
    },
    'a poll before the member has decided': async () => {
      const { device_code } = await codesFor(service, a);
      return async () =>
        expect((await poll(service, a, device_code)).json().error).toBe('authorization_pending');
    },
    'a poll that asks too soon': async () => {
      const { device_code } = await codesFor(service, a);
      await poll(service, a, device_code);
      return async () => expect((await poll(service, a, device_code)).json().error).toBe('slow_down');
    },
    'the poll that gets the tokens': async () => {
      const { device_code } = await approvedCodes(service, phone);
      return () => pollTokens(service, a, device_code);
    },
    'the exchange of a code': async () => {
      const { clientId, redirectUri } = apps.pub1;
      const { code, verifier } = await codeFor(phone, clientId, redirectUri);
      const exchange = {
        grant_type: 'authorization_code',
        client_id: clientId,
        code,
        code_verifier: verifier,
      };
      return async () => expect((await token(service, a, exchange)).status).toBe(200);
    },
    'a profile': async () => {
      const { access_token } = await tokensOf(service, a, apps.pub1);
      return async () => expect((await profile(service, a, access_token)).status).toBe(200);
    },
    'a profile that ends with the session': async () => {
      const { access_token } = await tokensOf(service, a, apps.pub1, { more: { scope: 'openid profile' } });
      return async () => expect((await profile(service, a, access_token)).status).toBe(200);
    },
  };

  it.each([
    ['a refresh', 2],
    ['a refresh by a client with a secret', 2],
    ['the exchange of a code', 3],
  ] as const)('at most 3 round trips to the database: %s takes %i', async (what, trips) => {
    expect(await tripsOf(done[what])).toBe(trips);
  });

  it.each([
    ['a poll before the member has decided', 2],
    ['a poll that asks too soon', 3],
    ['the poll that gets the tokens', 3],
    ['a profile', 2],
    ['a profile that ends with the session', 2],
  ] as const)(
    'at most 3 round trips, where no answer waits for the end of what only reads: %s takes %i',
    async (what, trips) => {
      expect(await tripsOf(done[what])).toBeLessThanOrEqual(trips);
    },
  );

  it.each([
    'a device authorization',
    'a device authorization, looking for those of other processes',
  ] as const)('five, of which three count: %s', async (what) => {
    expect(await tripsOf(done[what])).toBe(5);
  });

  it('lines of a file of members take as many as one line does', async () => {
    let named = 0;
    const ofLines = (count: number) => async () => async () => {
      const lines = Array.from({ length: count }, () => {
        named += 1;
        return JSON.stringify({ email: `m${named}@trips.test`, externalId: `${named}` });
      });
      const taken = await takeLines(service, a, lines);
      expect(taken.filter(({ outcome }) => outcome === 'added')).toHaveLength(count);
    };
    const ofOne = await tripsOf(ofLines(1));
    expect(await tripsOf(ofLines(importBatch.entries))).toBeLessThanOrEqual(ofOne + 1);
  });
});
