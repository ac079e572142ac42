import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { codesFor, phoneOf, poll, usedCodes } from '../../support/device.ts';
import type { Answer } from '../../support/http.ts';
import { type Room, roomOf } from '../../support/rehearsal/rehearsal.ts';
import { useService } from '../../support/use-service.ts';
import { refresh } from '../../support/visitor.ts';

const service = useService({ data: 'development' });
const tv = { clientId: 'tv' };
let acme: string;
let room: Room;

beforeAll(() => {
  acme = `localhost:${service.port}`;
  room = roomOf(service, acme);
});

afterEach(async () => {
  await room.delete('faults');
});

const discovery = (host = acme) => service.http(host, '/.well-known/openid-configuration');
const askForCode = (clientId = 'tv', host = acme) =>
  service.http(host, '/api/oidc/device/auth', { body: { client_id: clientId, scope: 'openid' } });

/** The tokens of a TV that a member has approved. */
const tokensOf = async (email: string) =>
  (await usedCodes(service, await phoneOf(service, acme, email), tv)).tokens;

describe('a fault', () => {
  it.each([
    ['429', 429, 'temporarily_unavailable', { seconds: 7 }],
    ['500', 500, 'server_error', {}],
  ])('%s is answered in place of the service, which does nothing', async (kind, status, error, more) => {
    await room.ask('faults', { kind, endpoint: 'device', ...more });
    const answer = await askForCode();
    expect(answer.status).toBe(status);
    expect(answer.json()).toMatchObject({ error });
    if (status === 429) expect(answer.headers['retry-after']).toBe('7');
    expect((await room.wire()).at(-1)).toMatchObject({ fault: kind, answer: { status } });
    expect((await askForCode()).status).toBe(200);
  });

  it('non_json is a page where JSON should be', async () => {
    await room.ask('faults', { kind: 'non_json' });
    const answer = await discovery();
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^text\/html/);
    expect((await discovery()).json()).toMatchObject({ issuer: `http://${acme}` });
  });

  it('delay lets an answer come late', async () => {
    await room.ask('faults', { kind: 'delay', seconds: 3 });
    const before = service.pauses.length;
    expect((await discovery()).status).toBe(200);
    expect(service.pauses.slice(before)).toEqual([3_000]);
  });

  it('T5: drop does the work and loses the answer, so that the client holds what was used', async () => {
    const tokens = await tokensOf('ada@example.com');
    await room.ask('faults', { kind: 'drop', endpoint: 'token' });
    await expect(refresh(service, acme, tokens.refresh_token, { client_id: 'tv' })).rejects.toThrow();
    expect((await room.wire()).at(-1)).toMatchObject({ fault: 'drop', lost: true, answer: { status: 200 } });
    const again = await refresh(service, acme, tokens.refresh_token, { client_id: 'tv' });
    expect(again.json()).toMatchObject({ error: 'invalid_grant' });
  });

  it('slow_down meets polls alone, so many times', async () => {
    await room.ask('faults', { kind: 'slow_down', times: 2 });
    const { device_code: code } = await codesFor(service, acme, tv);
    const answers: Answer[] = [];
    for (let polls = 0; polls < 3; polls += 1) answers.push(await poll(service, acme, code, tv));
    expect(answers.map((answer) => answer.json().error)).toEqual([
      'slow_down',
      'slow_down',
      'authorization_pending',
    ]);
  });

  it('meets one answer, so many, or all until it is cleared', async () => {
    await room.ask('faults', { kind: '500', times: 'always' });
    for (let round = 0; round < 3; round += 1) expect((await discovery()).status).toBe(500);
    const { faults } = (await service.http(acme, '/rehearsal/faults')).json<{ faults: { id: number }[] }>();
    expect(faults).toMatchObject([{ kind: '500', times: 'always', endpoint: null, client: null }]);
    expect((await room.delete(`faults/${faults[0]?.id}`)).status).toBe(200);
    expect((await room.delete(`faults/${faults[0]?.id}`)).status).toBe(404);
    expect((await discovery()).status).toBe(200);
  });

  it('meets one client, or one member, and no other', async () => {
    const [ada, bo] = [await tokensOf('ada@example.com'), await tokensOf('bo@example.com')];
    await room.ask('faults', { kind: '500', client: 'tv-secret' });
    await room.ask('faults', { kind: '429', member: 'bo@example.com' });
    expect((await askForCode()).status).toBe(200);
    expect((await askForCode('tv-secret')).status).toBe(500);
    expect((await refresh(service, acme, ada.refresh_token, { client_id: 'tv' })).status).toBe(200);
    const met = await service.http(acme, '/api/oidc/me', {
      headers: { authorization: `Bearer ${bo.access_token}` },
    });
    expect(met.status).toBe(429);
    await room.ask('faults', { kind: '429', member: 'bo@example.com' });
    expect((await refresh(service, acme, bo.refresh_token, { client_id: 'tv' })).status).toBe(429);
  });

  it('meets pages where it says so', async () => {
    await room.ask('faults', { kind: '500' });
    expect((await service.http(acme, '/device')).status).toBe(303);
    await room.ask('faults', { kind: '500', endpoint: 'page' });
    expect((await service.http(acme, '/device')).status).toBe(500);
  });

  it('X1: meets nothing of another tenant, nor the room itself', async () => {
    await room.ask('faults', { kind: '500', times: 'always' });
    const globex = `127.0.0.1:${service.port}`;
    expect((await discovery(globex)).status).toBe(200);
    expect((await service.http(globex, '/rehearsal/faults')).json()).toEqual({ faults: [] });
    expect((await service.http(acme, '/rehearsal/faults')).status).toBe(200);
  });

  it('RR2: meets one of two hundred requests at once', async () => {
    await room.ask('faults', { kind: '500', member: 'ada@example.com' });
    await room.ask('faults', { kind: '500', endpoint: 'discovery' });
    const statuses = (await Promise.all(Array.from({ length: 200 }, () => discovery()))).map(
      ({ status }) => status,
    );
    expect(statuses.filter((status) => status === 500)).toHaveLength(1);
  });

  it('RR3: is one of so many that wait', async () => {
    const asked = await Promise.all(
      Array.from({ length: 200 }, () => room.ask('faults', { kind: '500', client: 'nobody' })),
    );
    expect(asked.filter(({ status }) => status === 200)).toHaveLength(100);
    expect(asked.filter(({ status }) => status === 409)).toHaveLength(100);
  });

  it('of the member’s data leaves the TV signed in, saying nothing of a plan that it does not know', async () => {
    const act = async (name: string) =>
      (await room.ask('tv', { do: name })).json<{ readonly user_code: string }>();
    const { user_code: userCode } = await act('on');
    const phone = await phoneOf(service, acme, 'ada@example.com');
    await phone.press(await phone.open(userCode), 'approve');
    await room.ask('faults', { kind: '500', endpoint: 'member_api' });
    expect(await act('poll')).toMatchObject({ phase: 'signed-in', member: null });
    const { text } = await service.http(acme, '/rehearsal');
    const screen = /id="screen"[\s\S]*?<form/.exec(text)?.[0];
    expect(screen).toContain('Signed in');
    expect(screen).not.toContain('No subscription');
  });

  it.each([
    [{}, 400],
    [{ kind: 'fire' }, 400],
    [{ kind: '500', times: 0 }, 400],
    [{ kind: '500', times: 'often' }, 400],
    [{ kind: 'delay', seconds: 3_600 }, 400],
    [{ kind: '500', endpoint: '__proto__' }, 400],
    [{ kind: '500', member: 'nobody@example.com' }, 404],
  ])('is refused as %j', async (fault, status) => {
    expect((await room.ask('faults', fault)).status).toBe(status);
    expect((await service.http(acme, '/rehearsal/faults')).json()).toEqual({ faults: [] });
  });

  it('is set and cleared by forms too', async () => {
    const set = await service.http(acme, '/rehearsal/faults', {
      body: { kind: '429', times: '3', seconds: '' },
    });
    expect(set.status).toBe(400);
    await service.http(acme, '/rehearsal/faults', { body: { kind: '429', times: '3' } });
    expect((await service.http(acme, '/rehearsal/faults')).json()).toMatchObject({ faults: [{ times: 3 }] });
    expect((await service.http(acme, '/rehearsal/faults/clear', { body: {} })).status).toBe(303);
    expect((await service.http(acme, '/rehearsal/faults')).json()).toEqual({ faults: [] });
  });
});
