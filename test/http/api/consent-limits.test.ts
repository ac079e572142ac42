import { beforeAll, describe, expect, it } from 'vitest';
import { consentAnswers } from '../../../src/core/access/limits.ts';
import { countingWindow } from '../../../src/core/limits.ts';
import { listConsentChanges } from '../../../src/storage/access/consent.ts';
import { type Api, apiOf } from '../../support/api.ts';
import { expectJsonError } from '../../support/expected/expectations.ts';
import { useService } from '../../support/use-service.ts';

const path = '/consents';

const service = useService({ data: 'development' });
let acme: Api;

beforeAll(() => {
  acme = apiOf(service, 'localhost');
});

const put = (email: string, below: string, body: unknown) =>
  acme(email, `${path}${below}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const historyOf = async (email: string) => {
  const { id } = await acme.member(email);
  return service.store.transaction((tx) => listConsentChanges(tx, id));
};

describe('answers again and again', () => {
  const alternate = (email: string, n: number) =>
    put(email, '/newsletter', { status: n % 2 === 0 ? 'accepted' : 'withdrawn' });
  const refusedWait = (answer: Awaited<ReturnType<typeof put>>) => {
    expectJsonError(answer, 429, 'temporarily_unavailable');
    return Number(answer.headers['retry-after']);
  };

  it('are held to so many a minute for a member, whichever route is used, changed or not', async () => {
    const email = 'kim@example.com';
    for (let n = 0; n < consentAnswers.perMinute; n += 1) {
      const status = 'accepted';
      const answer = await (n % 2 === 0
        ? put(email, '/offers', { status })
        : put(email, '', { consents: [{ id: 'offers', status }] }));
      expect(answer.status, answer.text).toBe(200);
    }
    const wait = refusedWait(await put(email, '/newsletter', { status: 'accepted' }));
    refusedWait(await put(email, '', { consents: [{ id: 'newsletter', status: 'accepted' }] }));
    expect(await historyOf(email)).toHaveLength(1);
    expect((await acme(email, path)).status).toBe(200);
    expect((await put('bo@example.com', '/offers', { status: 'withdrawn' })).status).toBe(200);
    service.clock.advance(wait * 1_000);
    expect((await alternate(email, 0)).status).toBe(200);
  });

  it('are held to so many a day', async () => {
    const email = 'liv@example.com';
    const before = (await historyOf(email)).length;
    for (let n = 0; n < consentAnswers.perDay; n += 1) {
      if (n % consentAnswers.perMinute === 0) service.clock.advance(countingWindow.minute);
      expect((await alternate(email, n)).status).toBe(200);
    }
    service.clock.advance(countingWindow.minute);
    expect(refusedWait(await alternate(email, 0))).toBeGreaterThan(countingWindow.hour / 1_000);
    expect(await historyOf(email)).toHaveLength(before + consentAnswers.perDay);
  });

  it('do not use up what a member may do where they are refused', async () => {
    const email = 'finn@example.com';
    for (let n = 0; n <= consentAnswers.perMinute; n += 1) {
      expect((await put(email, '/nothing', { status: 'accepted' })).status).toBe(404);
    }
    expect((await alternate(email, 0)).status).toBe(200);
  });
});
