import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/core/hash.ts';
import { openSocket } from '../../../src/http/admin/socket.ts';
import { operations } from '../../../src/operations/admin/index.ts';
import { systemClock } from '../../../src/system/clock.ts';
import { adminToken, callApi } from '../../support/operators/api.ts';
import { command } from '../../support/operators/command.ts';
import { insertCopies } from '../../support/queries/copies.ts';
import { useService } from '../../support/use-service.ts';

const service = useService({ data: 'security' });
let token: string;
let close: () => Promise<void>;

/** As F16 says. */
const events = 50_000;
const at = systemClock() - 1_000_000;

beforeAll(async () => {
  const socket = await openSocket(service.folder, operations, service.deps, service.app.log);
  close = async () => socket?.close();
  token = await adminToken(service);
  const tenantId = String(service.tenants.byHost('a.test')?.id);
  // Several of one moment, as in life, and refreshes among them, which lie apart.
  await service.store.transaction((tx) =>
    sql`with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n < ${events - 1})
      insert into auditEvents (at, tenantId, event, actorKind, actorId, target, clientId, address, result, reason)
      select ${at} + n / 3, ${tenantId}, iif(n % 4 = 0, 'token_refreshed', 'sign_in'), 'member', 'ada', 't' || n,
        'exported', '192.0.2.1', 'done', null
      from numbers`.execute(tx),
  );
});
afterAll(async () => {
  await close();
});

/** Holds lines to the targets that they should have, in this order; says where they differ, and not all of them. */
function expectTargets(lines: string, expected: readonly string[]): void {
  const targets = lines
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { readonly target: string }).target);
  const differsAt = targets.findIndex((target, index) => target !== expected[index]);
  expect({ differsAt, count: targets.length }).toEqual({ differsAt: -1, count: expected.length });
}

const newestFirst = Array.from({ length: events }, (_, index) => `t${events - 1 - index}`);

const path = '/tenants/a.test/audit/export?clientId=exported';

describe('F16: an export of 50,000 events', () => {
  it('is whole through the admin API, each event once, the newest first', async () => {
    const { status, text: lines, headers } = await callApi(service, { path, token });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
    expectTargets(lines, newestFirst);
  });

  it('is whole through the command, of a tenant and of all of them', async () => {
    const words = ['--client-id', 'exported'];
    const { code, out, err } = await command(service.folder, ['service-audit', 'export', ...words]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expectTargets(out, newestFirst);
    const json = await command(service.folder, ['audit', 'export', '--tenant', 'a.test', ...words, '--json']);
    expectTargets((JSON.parse(json.out) as { readonly text: string }).text, newestFirst);
  });

  it('pages 21: is as long and in the same order as CSV, with one line that names the columns', async () => {
    const { status, text: file, headers } = await callApi(service, { path: `${path}&format=csv`, token });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    const [head = '', ...lines] = file.trimEnd().split('\r\n');
    expect(head).toMatch(/^id,at,tenantId,event,actorKind,actorId,target,/);
    const column = head.split(',').indexOf('target');
    const targets = lines.map((line) => line.split(',')[column]);
    expect(targets.length).toBe(events);
    expect(targets.findIndex((target, index) => target !== newestFirst[index])).toBe(-1);
  });

  it('is cut where that is asked for, and goes on behind its last event', async () => {
    const first = await callApi(service, { path: `${path}&limit=2500`, token });
    expectTargets(first.text, newestFirst.slice(0, 2_500));
    const last = JSON.parse(first.text.trimEnd().split('\n').at(-1) ?? '') as { readonly id: number };
    const rest = await callApi(service, { path: `${path}&limit=10&before=${last.id}`, token });
    expectTargets(rest.text, newestFirst.slice(2_500, 2_510));
  });

  it('has the same head for HEAD, without reading all of it', async () => {
    const { status, text: nothing, headers } = await callApi(service, { path, token, method: 'HEAD' });
    expect({ status, nothing }).toEqual({ status: 200, nothing: '' });
    expect(headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
  });
});

describe('F16: an export of members', () => {
  it('is whole, each member once, the newest first', async () => {
    const count = 2_500;
    await service.store.transaction((tx) =>
      insertCopies(tx, 'members', count, {
        id: "printf('ffff%06d', n)",
        userId: '1000000 + n',
        memberNumber: '1000000 + n',
        email: "'copy' || n || '@example.com'",
        normalisedEmail: "'copy' || n || '@example.com'",
      }),
    );
    const { out } = await command(service.folder, [
      'members',
      'export',
      '--tenant',
      'a.test',
      '--search',
      'copy',
    ]);
    const emails = out
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { readonly email: string }).email);
    expect(emails).toEqual(Array.from({ length: count }, (_, index) => `copy${count - index}@example.com`));
    expect(out).not.toContain('argon2');
  });
});

/** Asks for the export, and reads nothing of it yet. */
async function begun(by = token, of = path): Promise<IncomingMessage> {
  const sent = request({
    port: service.port,
    host: '127.0.0.1',
    path: `/api/v1/admin${of}`,
    headers: { host: 'a.test', authorization: `Bearer ${by}` },
  }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return answer;
}

describe('F16: an export holds a part of itself in memory', () => {
  it('and reads on as it is taken: what is deleted before it comes there is not in it', async () => {
    const answer = await begun();
    await service.store.transaction((tx) =>
      tx
        .deleteFrom('auditEvents')
        .where('at', '<', at + 1_000)
        .execute(),
    );
    expectTargets(await text(answer), newestFirst.slice(0, -3_000));
  });

  it('and goes on behind a member who is deleted meanwhile, in the order of addresses too', async () => {
    const emails = Array.from({ length: 2_500 }, (_, index) => `copy${index + 1}@example.com`).toSorted();
    const answer = await begun(token, '/tenants/a.test/members/export?search=copy&sort=email');
    // Those with whom its parts end.
    await service.store.transaction((tx) =>
      tx
        .updateTable('members')
        .set({ erasedAt: 1, email: '', normalisedEmail: sql`'deleted ' || id` })
        .where('normalisedEmail', 'in', [String(emails[999]), String(emails[1_999])])
        .execute(),
    );
    const told = (await text(answer)).trimEnd().split('\n');
    const read = told.map((line) => (JSON.parse(line) as { readonly email: string }).email);
    expect(read.length).toBeGreaterThanOrEqual(2_498);
    expect(read).toEqual(emails.filter((email) => read.includes(email)));
  });

  it('F4: and ends when the token that began it is revoked meanwhile', async () => {
    const own = await adminToken(service);
    const answer = await begun(own);
    await service.store.transaction((tx) =>
      tx
        .updateTable('adminTokens')
        .set({ revokedAt: service.clock.now() })
        .where('secretHash', '=', sha256(own))
        .execute(),
    );
    await expect(text(answer)).rejects.toThrow('aborted');
  });

  it('and says by an answer that breaks off, and the command by its code, that it is not whole', async () => {
    const rename = (from: string, to: string) =>
      service.store.transaction((tx) =>
        sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(tx),
      );
    const answer = await begun();
    await rename('auditEvents', 'gone');
    await expect(text(answer)).rejects.toThrow('aborted');
    await rename('gone', 'auditEvents');

    let gone: Promise<unknown> | null = null;
    const heard = () => {
      gone ??= rename('auditEvents', 'gone');
    };
    await expect(command(service.folder, ['service-audit', 'export'], { heard })).rejects.toThrow(
      'not whole',
    );
    await gone;
    await rename('gone', 'auditEvents');
  });
});
