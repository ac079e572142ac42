import { Agent, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Card } from '../../../../src/core/rehearsal/card/card.ts';
import type { RuleName } from '../../../../src/core/rehearsal/card/rules.ts';
import { codesFor, deviceGrant, poll, pollTokens } from '../../../support/device.ts';
import { codeOf, placed, runProgram, tableRows } from '../../../support/documents/documents.ts';
import { roomOf, useCards } from '../../../support/rehearsal/rehearsal.ts';
import { serviceForTest } from '../../../support/use-service.ts';
import { refresh } from '../../../support/visitor.ts';

const { service, at, ask, card, rule, pollAtOnce } = useCards();
const tv = { clientId: 'tv' };

describe('the report card', () => {
  it('is of each client that was seen, and of those that were not', async () => {
    await pollAtOnce();
    await codesFor(service, at.acme, { clientId: 'reader' });
    expect((await ask('card.json')).json()).toEqual({
      clients: [
        { client: 'reader', passed: false, sum: { kept: 0, broken: 0, not_seen: 12 } },
        { client: 'tv', passed: false, sum: { kept: 0, broken: 1, not_seen: 11 } },
      ],
    });
    const polled = (await at.room.wire()).find(({ endpoint }) => endpoint === 'token');
    expect((await rule('interval'))?.entries.at(-1)).toMatchObject({
      id: polled?.id,
      at: polled?.at,
      reference: polled?.reference,
      path: '/api/oidc/token',
    });
    expect(await card('spa')).toMatchObject({ client: 'spa', passed: false, sum: { not_seen: 12 } });
  });

  it('begins anew for one client, by a program and by a form, and for all by the room’s reset', async () => {
    for (const clear of [
      () => at.room.delete('card/tv'),
      () => service.http(at.acme, '/rehearsal/card/tv/clear', { body: { back: '/rehearsal/card/tv' } }),
      () => at.room.ask('reset'),
    ]) {
      await pollAtOnce();
      expect((await card('tv')).sum.broken).toBe(1);
      expect([200, 303]).toContain((await clear()).status);
      expect((await card('tv')).sum.broken).toBe(0);
    }
  });

  it('stays when a snapshot is restored, and says nothing of tokens that are good once more', async () => {
    await at.room.ask('phone', { answer: 'approve', member: 'ada@example.com' });
    const { device_code: code } = await codesFor(service, at.acme, tv);
    await at.room.ask('clock', { advance: 5 });
    const { refresh_token: first } = await pollTokens(service, at.acme, code, tv);
    await at.room.ask('snapshots', { name: 'signed-in' });
    for (let round = 0; round < 2; round += 1) {
      await at.room.ask('snapshots/signed-in/restore');
      expect((await refresh(service, at.acme, first, { client_id: 'tv' })).status).toBe(200);
    }
    expect(await rule('one_refresh')).toMatchObject({ verdict: 'kept', count: 2 });
    expect((await card('tv')).sum).toEqual({ kept: 2, broken: 0, not_seen: 10 });
    await at.room.ask('endpoints', { moved: true });
    await at.room.ask('snapshots/signed-in/restore');
    expect((await ask('endpoints')).json()).toEqual({ moved: false, mark: null });
  });

  it('is a page too, with what was seen, where it stands, and what to press for what was not', async () => {
    expect((await ask('card')).text).toContain('No client was seen yet');
    await pollAtOnce();
    expect((await ask('card')).text).toMatch(/<a href="\/rehearsal\/card\/tv"><bdi>tv<\/bdi><\/a>/);
    const page = await ask('card/tv');
    expect(page.text).not.toContain('own TV is this client too');
    expect(page.headers['content-type']).toMatch(/^text\/html/);
    const [broken = ''] =
      /<li class="rule is-broken" id="interval">[\s\S]*?<\/li>\n<li class="rule/.exec(page.text) ?? [];
    const [asked, polled] = (await rule('interval'))?.entries ?? [];
    for (const part of [
      'Waits the interval before the first poll',
      'wait that long before the first poll',
      `href="/rehearsal#wire-${asked?.id}"`,
      `href="/rehearsal#wire-${polled?.id}"`,
      'RFC 8628 §3.5',
    ]) {
      expect(broken).toContain(part);
    }
    const [unseen = ''] = /id="state">[\s\S]*?<\/form>/.exec(page.text) ?? [];
    const fields = [...unseen.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]);
    const pressed = await service.http(at.acme, '/rehearsal/faults', { body: Object.fromEntries(fields) });
    expect(pressed).toMatchObject({ status: 303, headers: { location: '/rehearsal/card/tv#state' } });
    expect((await ask('faults')).json()).toMatchObject({ faults: [{ kind: 'wrong_state', client: 'tv' }] });
    expect((await service.http(at.acme, '/rehearsal')).text).toContain('Report card of tv: 0 of 12');
    expect((await service.http(at.acme, '/rehearsal/tv', { body: { do: 'on', client: 'tv' } })).status).toBe(
      303,
    );
    expect((await ask('card/tv')).text).toContain('own TV is this client too');
  });

  it('is what the document says, and decides a build', async () => {
    await pollAtOnce();
    const documented = tableRows('rehearsal.md')
      .filter(({ length }) => length === 3)
      .map(([cell = '']) => cell.replaceAll('`', ''));
    const { rules } = await card('tv');
    const names = rules.map((one) => one.rule);
    expect(documented.filter((cell) => names.includes(cell as RuleName))).toEqual(names);
    const [code = ''] = codeOf('rehearsal.md', 'js');
    const places = { 'http://localhost:3000': `http://${at.acme}` };
    expect(placed(code, places)).toContain(at.acme);
    const failing = runProgram(code, places);
    expect((await failing.says(/^broken interval: (.*)/))[1]).toBe(
      rules.find((one) => one.rule === 'interval')?.says,
    );
    await failing.says(/^failed$/);
    await failing.stop();

    await at.room.delete('card/tv');
    const { device_code: waited } = await codesFor(service, at.acme, tv);
    await at.room.ask('clock', { advance: 5 });
    await poll(service, at.acme, waited, tv);
    const passing = runProgram(code, places);
    await passing.says(/^passed$/);
    await passing.stop();
  });

  it('begins a wait where the client hung up on an answer that came late', async () => {
    const late = Promise.withResolvers<void>();
    const waits = Promise.withResolvers<void>();
    const pause = () => {
      waits.resolve();
      return late.promise;
    };
    const own = await serviceForTest({ data: 'development', pause });
    const host = `localhost:${own.port}`;
    const ownRoom = roomOf(own, host);
    const { device_code: code } = await codesFor(own, host, tv);
    await ownRoom.ask('clock', { advance: 5 });
    await ownRoom.ask('faults', { kind: 'delay', endpoint: 'token' });
    own.app.server.once('connection', (socket) => socket.once('close', late.resolve));
    const agent = new Agent();
    const body = new URLSearchParams({
      grant_type: deviceGrant,
      client_id: 'tv',
      device_code: code,
    }).toString();
    const headers = { host, 'content-type': 'application/x-www-form-urlencoded' };
    const polling = request({
      host: '127.0.0.1',
      port: own.port,
      path: '/api/oidc/token',
      method: 'POST',
      agent,
      headers,
    });
    polling.on('error', () => {});
    polling.end(body);
    await waits.promise;
    agent.destroy();
    polling.destroy();
    await late.promise;
    await ownRoom.ask('clock', { advance: 10 });
    await poll(own, host, code, tv);
    const [hungUp] = (await ownRoom.wire()).filter(({ endpoint }) => endpoint === 'token');
    expect(hungUp).toMatchObject({ fault: 'delay', lost: true, hungUp: { at: expect.any(Number) } });
    const { rules } = (await own.http(host, '/rehearsal/card/tv.json')).json<
      Card & Record<string, unknown>
    >();
    expect(rules.filter(({ verdict }) => verdict !== 'not_seen').map(({ rule: name }) => name)).toEqual([
      'interval',
      'one_poll',
      'back_off',
    ]);
  });

  it('RR51: is of clients of this tenant alone', async () => {
    await pollAtOnce('tv', at.globex);
    expect((await card('tv')).sum).toEqual({ kept: 0, broken: 0, not_seen: 12 });
    expect((await card('tv', at.globex)).sum.broken).toBe(1);
    for (const client of ['nobody', 'tv-of-another', '']) {
      expect((await ask(`card/${client}.json`)).status, client).toBe(404);
    }
    expect((await at.room.delete('card/tv')).status).toBe(200);
    expect((await card('tv', at.globex)).sum.broken).toBe(1);
  });

  it('RR52: takes a client’s name for a name, whatever it is', async () => {
    for (const client of [
      '__proto__',
      'constructor',
      '../wire',
      '<b>',
      'a/b',
      '%',
      'x'.repeat(4_000),
      '\u0000',
    ]) {
      expect([400, 404]).toContain((await ask(`card/${encodeURIComponent(client)}.json`)).status);
      const answer = await service.http(at.acme, '/api/oidc/device/auth', {
        body: { client_id: client, scope: 'openid' },
      });
      expect(answer.status, client).toBeGreaterThanOrEqual(400);
    }
    expect((await ask('card.json')).json()).toEqual({ clients: [] });
    expect(await ask('card/nobody')).toMatchObject({
      status: 404,
      headers: { 'content-type': expect.stringMatching(/html/) },
    });
    // What describes a client that no operator registered may be a file.
    const named = 'https://app.test/<client>.json';
    await service.store.transaction((tx) =>
      tx.updateTable('clients').set({ clientId: named }).where('clientId', '=', 'tv-off').execute(),
    );
    const page = await ask(`card/${encodeURIComponent(named)}`);
    expect(page.text).toContain('<bdi>https://app.test/&lt;client&gt;.json</bdi>');
    expect(page.text).not.toContain('<client>');
    expect(await card(named)).toMatchObject({ client: named });
    await service.http(at.acme, '/api/oidc/device/auth', { body: { client_id: named, scope: 'openid' } });
    expect((await ask('card')).text).toContain(`href="/rehearsal/card/${encodeURIComponent(named)}"`);
  });

  it('RR53: has what the log has let go, and what comes once it is full', async () => {
    await pollAtOnce();
    const [{ id } = { id: 0 }] = (await rule('interval'))?.entries ?? [];
    for (let round = 0; round < 26; round += 1) {
      await Promise.all(
        Array.from({ length: 20 }, () => service.http(at.acme, '/.well-known/openid-configuration')),
      );
    }
    expect((await at.room.wire()).some((entry) => entry.id === id)).toBe(false);
    expect(await rule('interval')).toMatchObject({ verdict: 'broken', count: 1, entries: [{ id }, {}] });
    await pollAtOnce();
    expect(await rule('interval')).toMatchObject({ verdict: 'broken', count: 2 });
  });

  it('says nothing that the log masks', async () => {
    const { device_code: code } = await codesFor(service, at.acme, tv);
    await poll(service, at.acme, code, tv);
    expect(JSON.stringify([await card('tv'), (await ask('card.json')).json()])).not.toContain(code);
  });
});
