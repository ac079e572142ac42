import { readFileSync } from 'node:fs';
import { hashSync } from 'bcryptjs';
import { describe, expect, it } from 'vitest';
import { readHead } from '../../src/core/import/format.ts';
import { imports } from '../../src/operations/admin/imports/imports.ts';
import { runOperation } from '../../src/operations/admin/run.ts';
import { tenantOf } from '../support/device.ts';
import { hosts } from '../support/fixtures.ts';
import { command } from '../support/operators/command.ts';
import { run as operate, refusal, tokenOf } from '../support/operators/desk.ts';
import { importsOf, lines } from '../support/operators/importing.ts';
import { useService } from '../support/use-service.ts';
import { authorizationParameters, pkce, visitor } from '../support/visitor.ts';

const service = useService({ data: 'security' });
const { write, run, memberOf } = importsOf(service);

const countIn = (table: 'members' | 'subscriptions' | 'auditEvents' | 'mails' | 'importRefusals') =>
  service.store.transaction(async (tx) => {
    const rows = tx.selectFrom(table).select(({ fn }) => fn.countAll<number>().as('rows'));
    return Number((await rows.executeTakeFirstOrThrow()).rows);
  });

describe('memberdoor import', () => {
  it('takes members in, who sign in with their old passwords, and tells of it as one act', async () => {
    const path = write(
      'one.jsonl',
      lines(
        {
          email: 'one@moved.test',
          fullName: 'One',
          passwordHash: hashSync('an old password', 4),
          externalId: '1',
        },
        { email: 'Two@moved.test', fullName: 'Two', emailVerified: true, language: 'nb-NO' },
        { email: 'three@moved.test', passwordHash: 'hunter2' },
        { email: 'one@MOVED.test', fullName: 'One again' },
      ),
    );
    const before = { mails: await countIn('mails'), audit: await countIn('auditEvents') };
    const { code, out } = await run(path);
    expect(out).toMatch(/^2 new, 0 changed, 1 skipped, 1 refused\.\n/);
    expect(code).toBe(1);
    const refused = readFileSync(`${path}.refused.jsonl`, 'utf8').trim().split('\n');
    expect(refused.map((line) => JSON.parse(line))).toEqual([
      {
        line: 3,
        reasons: ['passwordHash is no password hash that is known here'],
        paths: ['passwordHash'],
        text: expect.stringContaining('three@moved'),
      },
    ]);
    expect(await memberOf('one@moved.test')).toMatchObject({
      externalId: '1',
      oldHashUnit: 'bcrypt',
      passwordSince: 0,
    });
    expect(await memberOf('two@moved.test')).toMatchObject({
      emailVerified: 1,
      locale: 'nb',
      passwordSince: null,
    });
    // Its beginning and its end.
    expect(await countIn('auditEvents')).toBe(before.audit + 2);
    expect(await countIn('mails')).toBe(before.mails);
    const browser = visitor(service, hosts.a);
    const page = await browser.authorize(authorizationParameters('pub1', 'https://pub1.test/cb', pkce()));
    const { status } = await browser.signIn(page, 'one@moved.test', 'an old password');
    expect(status).toBe(303);
    expect(await memberOf('one@moved.test')).toMatchObject({ oldHashUnit: null });
  });

  it('--mail says how many new members were invited: those without a password', async () => {
    const path = write(
      'mail.jsonl',
      lines(
        { email: 'm1@moved.test' },
        { email: 'm2@moved.test', disabled: true },
        { email: 'm3@moved.test', passwordHash: hashSync('an old password', 4) },
      ),
    );
    const before = await countIn('mails');
    expect((await run(path, '--mail', '--check')).out).toContain('3 would be new');
    expect(await countIn('mails')).toBe(before);
    const { out } = await run(path, '--mail');
    expect(out).toContain(
      '3 new, 0 changed, 0 skipped, 0 refused.\nInvited by mail: 1 of the new members.\n',
    );
    expect(await countIn('mails')).toBe(before + 1);
  });

  it('--check says line by line what would happen, and writes nothing', async () => {
    const path = write(
      'check.csv',
      'email,name,package\nfour@moved.test,Four,\nfour@moved.test,Again,\nada@example.test,Ada,\nfive@moved.test,Five,Nothing of ours\n',
    );
    const before = await countIn('members');
    const { code, out } = await run(path, '--check');
    expect(out.split('\n')).toEqual([
      '2  added  four@moved.test',
      '3  skipped  four@moved.test: line 2 has the address too',
      expect.stringMatching(/^4 {2}(?:added|skipped) {2}ada@example\.test$/),
      '5  refused  five@moved.test: there is no package Nothing of ours',
      expect.stringMatching(/would be new.*Nothing was done\.$/),
      '',
    ]);
    expect(code).toBe(3);
    expect(await countIn('members')).toBe(before);
  });

  it('--check names the column of what is wrong, and once each column that is not taken', async () => {
    const path = write(
      'columns.csv',
      'E-post;Fornavn;package;subscription start;salary;salary note\nnils@moved.test;Nils;Digital;soon;7;x\nnina@moved.test;Nina;;;8;y\n',
    );
    const { out } = await run(path, '--check');
    expect(out.split('\n')).toEqual([
      '2  refused  : "subscription start" is no date that is understood: write 2026-01-31, or 2026-01-31T12:00:00Z',
      '3  added  nina@moved.test',
      'Not taken, since it means nothing here: "salary", "salary note". --columns says what a column is here.',
      '1 would be new, 0 changed, 0 skipped, 1 refused. Nothing was done.',
      '',
    ]);
    const left = await run(path, '--check', '--columns', 'salary=,salary note=');
    expect(left.out).not.toContain('Not taken');
    const { out: taken } = await run(path);
    expect(taken.match(/Not taken/g)).toHaveLength(1);
    const [refused] = readFileSync(`${path}.refused.jsonl`, 'utf8').split('\n');
    expect(JSON.parse(String(refused))).toMatchObject({
      line: 2,
      reasons: [expect.stringMatching(/^"subscription start" /)],
      paths: ['subscriptions.0.activatedAt'],
    });
  });

  it('a file whose name has a line end in it is called by one line', async () => {
    await run(write('line\nby line.jsonl', lines({ email: 'line@moved.test' })));
    const page = { tenant: hosts.a, sort: '-importId', limit: 1 };
    const { imports: all } = await operate<{ imports: { name: string }[] }>(service, 'imports.list', page);
    expect(all).toMatchObject([{ name: 'lineby line.jsonl' }]);
  });

  it('MI5: another tenant’s package and consent are not there', async () => {
    const { out } = await run(
      write(
        'other.jsonl',
        lines({ email: 'six@moved.test', consents: [{ id: 'of-nobody', status: 'accepted' }] }),
      ),
      '--check',
    );
    expect(out).toContain('refused  six@moved.test: there is no consent of-nobody');
  });

  it('MI6: names with markup are names, and what would steer a terminal is shown as escapes', async () => {
    const name = '<script>alert(1)</script>';
    const path = write(
      'markup.jsonl',
      lines({ email: 'seven@moved.test', fullName: name }, { email: '\u001b[2Jx@y.test' }),
    );
    const { out } = await run(path, '--check');
    expect(out).toContain('2  refused  \\u{1b}[2Jx@y.test: email is malformed');
    await run(path);
    expect(await memberOf('seven@moved.test')).toMatchObject({ fullName: name });
  });

  it('MI4: no file makes an administrator, or changes one', async () => {
    const admin = (
      await service.store.transaction((tx) =>
        tx.selectFrom('members').selectAll().where('userType', '!=', 'member').execute(),
      )
    ).find(({ tenantId }) => tenantId === tenantOf(service, hosts.a).id);
    const named = admin === undefined ? [] : [{ email: admin.email, fullName: 'Mallory', externalId: 'x' }];
    const path = write(
      'admins.jsonl',
      lines({ email: 'eight@moved.test', userType: 'system_admin' }, ...named),
    );
    const { out } = await run(path, '--check', '--existing', 'update');
    expect(out.match(/an import makes no administrators/g)).toHaveLength(1 + named.length);
  });

  it('an update changes what is said, takes no proof and no password away, and the same file again changes nothing', async () => {
    const path = write(
      'update.jsonl',
      lines({
        email: 'two@moved.test',
        fullName: 'Second',
        emailVerified: false,
        passwordHash: hashSync('x', 4),
      }),
    );
    expect((await run(path, '--existing', 'update')).out).toMatch(/^0 new, 1 changed/);
    expect(await memberOf('two@moved.test')).toMatchObject({
      fullName: 'Second',
      emailVerified: 1,
      oldHashUnit: null,
    });
    expect((await run(path, '--existing', 'update')).out).toMatch(/^0 new, 0 changed, 1 skipped/);
  });

  it('goes on where it was: what was taken in is not taken in again, and nothing is left out', async () => {
    const path = write(
      'resume.jsonl',
      lines(...Array.from({ length: 90 }, (_, at) => ({ email: `m${at}@resumed.test` }))),
    );
    const bytes = readFileSync(path);
    const found = readHead(bytes, null, { columns: {} });
    if (!found.ok) throw new Error('the head is refused');
    const { createHash } = await import('node:crypto');
    const reading = {
      head: found.head,
      columns: {},
      firebase: null,
      existing: 'skip',
      mail: false,
      slowHashes: false,
    };
    const call = (operation: typeof imports.begin, input: object) =>
      runOperation(
        { operation, actor: { kind: 'operator' }, address: null, input: { tenant: hosts.a, ...input } },
        service.deps.store,
        { ...service.deps, now: service.clock.now() },
      ) as Promise<{ id: string; readTo: number }>;
    const fileHash = createHash('sha256').update(bytes).digest('base64url');
    const one = await call(imports.begin, {
      fileName: 'resume.jsonl',
      fileHash,
      fileBytes: bytes.length,
      ...reading,
    });
    const first = bytes.toString().split('\n').slice(0, 30);
    const readTo = Buffer.byteLength(`${first.join('\n')}\n`);
    const entries = first.map((text, at) => ({ line: at + 1, text }));
    const batch = { importId: one.id, from: 0, readTo, line: 31, ...reading, entries };
    await call(imports.send, batch);
    // Its answer was lost: sent again, it is refused, and nothing is twice.
    await expect(call(imports.send, batch)).rejects.toThrow('the import has got to byte');
    const { out, err } = await run(path);
    expect(err).toContain('It goes on at line 31.');
    expect(out).toMatch(/^90 new, 0 changed, 0 skipped, 0 refused/);
    expect((await run(path)).out).toMatch(/^0 new, 0 changed, 90 skipped/);
  });

  it('MI11: an account elsewhere is linked where the tenant has its provider, to no second member, and told of where not', async () => {
    const provider = { tenant: hosts.a, preset: 'google', clientId: 'door', secret: 'of google' };
    await operate(service, 'identityProviders.create', provider);
    const google = { provider: 'google', subject: '1101' };
    const path = write(
      'accounts.jsonl',
      lines(
        { email: 'gia@linked.test', accounts: [google, google, { provider: 'apple', subject: '001.a' }] },
        { email: 'thief@linked.test', accounts: [google] },
        { email: 'odd@linked.test', accounts: [{ provider: 'google' }] },
      ),
    );
    const checked = await run(path, '--check');
    expect(checked.out).toContain('gia@linked.test: without the account at apple');
    const { out } = await run(path);
    expect(out).toMatch(/^1 new, 0 changed, 0 skipped, 2 refused/);
    expect(out).toContain('Accounts at apple that were left out: 1.');
    const refused = readFileSync(`${path}.refused.jsonl`, 'utf8');
    expect(refused).toContain('another member has the account at google');
    const linked = await service.store.transaction((tx) =>
      tx.selectFrom('linkedAccounts').selectAll().execute(),
    );
    const { id: memberId } = (await memberOf('gia@linked.test')) ?? {};
    expect(linked).toMatchObject([{ memberId, issuer: 'https://accounts.google.com', subject: '1101' }]);
    // What is exported names it, and an import of that changes nothing.
    const exported = await command(service.folder, ['export', 'members', '--tenant', hosts.a]);
    expect(exported.out).toContain('"accounts":[{"provider":"google","issuer":"https://accounts.google.com"');
  });

  it('MI12: an import is shown to those of its tenant who may read members, and its refused lines say nothing of their text', async () => {
    const path = write(
      'shown.jsonl',
      lines({ email: 'shown@moved.test' }, { email: '=HYPERLINK("x")', fullName: '@secret' }),
    );
    await run(path);
    const { imports: all } = await operate<{ imports: { importId: string; name: string }[] }>(
      service,
      'imports.list',
      {
        tenant: hosts.a,
        sort: '-importId',
        limit: 1,
      },
    );
    expect(all).toMatchObject([{ name: 'shown.jsonl', phase: 'done', percent: 100, added: 1, refused: 1 }]);
    const importId = all[0]?.importId;
    const { text } = await operate<{ text: string }>(service, 'imports.refusals', {
      tenant: hosts.a,
      importId,
    });
    expect(text).toMatch(/^\{"line":2,"reasons":\["email [^"]*"\],"paths":\["email"\]\}\n$/);
    expect(text).not.toMatch(/HYPERLINK|secret/);
    for (const name of ['imports.read', 'imports.refusals']) {
      expect(await refusal(service, name, { tenant: hosts.b, importId })).toMatchObject({ kind: 'unknown' });
      const weak = tokenOf(service, hosts.a, ['clients:read']);
      expect(await refusal(service, name, { tenant: hosts.a, importId }, weak)).toMatchObject({
        kind: 'denied',
      });
      const other = tokenOf(service, hosts.b, ['members:read']);
      expect(await refusal(service, name, { tenant: hosts.a, importId }, other)).toMatchObject({
        kind: 'unknown',
      });
    }
  });
});
