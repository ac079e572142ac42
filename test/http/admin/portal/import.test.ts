import { beforeAll, describe, expect, it } from 'vitest';
import { importPartBytes } from '../../../../src/core/import/limits.ts';
import { hosts } from '../../../support/fixtures.ts';
import { importDesk, line } from '../../../support/members/moving-in/uploads.ts';
import { run } from '../../../support/operators/desk.ts';
import { filledIn, mainOf, newAdmin, type PortalVisitor } from '../../../support/operators/portal.ts';
import { useService } from '../../../support/use-service.ts';

const service = useService({ data: 'security' });
const tenant = hosts.a;
let admin: PortalVisitor;
const { begin, cancel, idOf, memberCount, pageOf, partsOf, told, upload } = importDesk(
  service,
  tenant,
  () => admin,
);

beforeAll(async () => {
  admin = await newAdmin(service, tenant, 'imports@example.test', 'tenant_admin');
});

describe('an import in the portal', () => {
  it('checks a file of several parts before anyone moves in, starts, stops, survives a restart and ends', async () => {
    const before = await memberCount();
    // Blanks make a file of two parts of few members.
    const rows = Array.from({ length: 800 }, (_, index) =>
      line(`p${index}@moved.test`, { externalId: `e${index}` }).replace('\n', `${' '.repeat(800)}\n`),
    );
    const content = Buffer.from([...rows.slice(0, 90), line('no address'), ...rows.slice(90)].join(''));
    expect(content.length).toBeGreaterThan(importPartBytes);
    const path = await begin();
    const answer = await upload(path, 'old "members".jsonl', content);
    expect([answer.status, answer.headers.location]).toEqual([303, pageOf(path)]);
    const parts = await partsOf(idOf(path));
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.some(({ sealed }) => sealed.includes('moved.test'))).toBe(false);
    const checking = await admin.send(pageOf(path));
    expect(checking.text).toContain('<noscript><meta http-equiv="refresh" content="5"></noscript>');
    expect(checking.headers['content-security-policy']).toContain("connect-src 'self'");
    await service.imported();
    expect(await memberCount()).toBe(before);
    expect(await told(path)).toMatchObject({
      name: 'old "members".jsonl',
      phase: 'checked',
      check: {
        added: 800,
        refused: 1,
        withoutPassword: 800,
        refusedLines: [{ line: 91, reason: expect.stringContaining('email') }],
      },
    });
    const checked = await admin.send(pageOf(path));
    expect(checked.text).not.toContain('http-equiv');
    expect(checked.headers['content-security-policy']).not.toContain('connect-src');
    expect(mainOf(checked)).toContain('TVs sign in again');
    expect(checked.text).toMatch(/<button class="button main" type="submit">Start import</);
    const started = await admin.send(`${pageOf(path)}/+start`, { body: filledIn(checked) });
    expect(started.status, mainOf(started)).toBe(303);
    const taking = service.imported();
    while ((await memberCount()) < before + 80) await new Promise((resolve) => setImmediate(resolve));
    await run(service, 'imports.stop', { tenant, importId: idOf(path) });
    await taking;
    expect(await told(path)).toMatchObject({ phase: 'stopped', endedAt: null });
    const half = await memberCount();
    await service.restart();
    await run(service, 'imports.start', { tenant, importId: idOf(path) });
    await service.imported();
    expect(half).toBeLessThan(before + 800);
    expect(await memberCount()).toBe(before + 800);
    expect(await told(path)).toMatchObject({ phase: 'done', percent: 100, added: 800, refused: 1 });
    expect(await partsOf(idOf(path))).toEqual([]);
  });

  it('pages 20: its buttons say what they do, and refused lines are offered where there are some', async () => {
    expect(mainOf(await admin.send(`/admin/tenants/${tenant}/imports/+create`))).toContain(
      '>Continue to the file<',
    );
    const offered = async (...lines: readonly string[]) => {
      const path = await begin();
      expect(mainOf(await admin.send(path))).toContain('>Check the file<');
      await upload(path, 'members.jsonl', Buffer.from(lines.join('')));
      await service.imported();
      expect(mainOf(await admin.send(pageOf(path)))).not.toContain('/refusals"');
      await run(service, 'imports.start', { tenant, importId: idOf(path) });
      await service.imported();
      return mainOf(await admin.send(pageOf(path))).includes('/refusals"');
    };
    expect(await offered(line('one@buttons.test'))).toBe(false);
    expect(await offered(line('two@buttons.test'), line('no address'))).toBe(true);
  });

  it('names the columns of the file: of what is wrong in a line, and those that are not taken', async () => {
    const path = await begin();
    const many = Array.from({ length: 60 }, (_, at) => `m${at}@columns.test;Digital;;${at}\n`).join('');
    const content = `E-post;package;subscription start;salary\nwrong@columns.test;Digital;soon;1\n${many}`;
    expect((await upload(path, 'members.csv', Buffer.from(content))).status).toBe(303);
    await service.imported();
    const { check } = await told(path);
    expect(check).toMatchObject({
      refused: 61,
      notTaken: ['salary'],
      refusedLines: expect.arrayContaining([
        { line: 2, reason: expect.stringMatching(/^"subscription start" is no date/) },
      ]),
    });
    const page = mainOf(await admin.send(pageOf(path)));
    expect(page).toContain('mean nothing here: salary');
    expect(page).toContain('cancel the import');
    await run(service, 'imports.start', { tenant, importId: idOf(path) });
    await service.imported();
    expect(mainOf(await admin.send(pageOf(path)))).toContain(
      'salary. If you need them, import the file again',
    );
  });

  it('counts a second line of an address as what it is, however far away, also after a restart in its midst', async () => {
    const rows = Array.from({ length: 300 }, (_, index) => line(`twice${index}@moved.test`));
    const content = Buffer.from([...rows, line('Twice0@Moved.test')].join(''));
    const path = await begin();
    expect((await upload(path, 'twice.jsonl', content)).status).toBe(303);
    const checking = service.imported();
    const check = async () => (await told(path)).check as { added: number } | null;
    while ((await check()) === null) await new Promise((resolve) => setImmediate(resolve));
    await service.restart();
    await checking;
    expect(await check()).not.toMatchObject({ added: 300 });
    await service.imported();
    expect(await told(path)).toMatchObject({
      phase: 'checked',
      check: { added: 300, skipped: 1, withoutPassword: 300 },
    });
    await cancel(path);
  });

  it('asks for the hash parameters of a file of Firebase, checks it again with them, and shows the key to no one', async () => {
    const path = await begin();
    const set = `${pageOf(path)}/+set-hash-parameters`;
    expect(mainOf(await admin.send(pageOf(path)))).not.toContain('Set hash parameters');
    const users = [{ localId: '1', email: 'f@fire.test', passwordHash: 'aGFzaGhhc2g', salt: 'c2FsdA' }];
    expect((await upload(path, 'users.json', Buffer.from(JSON.stringify({ users })))).status).toBe(303);
    await service.imported();
    expect(await told(path)).toMatchObject({ check: { added: 0, refused: 1 }, hasHashParameters: false });
    expect(mainOf(await admin.send(pageOf(path)))).toContain('Set hash parameters');
    const signer = 'YS1rZXktdGhhdC1pcy1vZi10aGUtcHJvamVjdA==';
    const half = await admin.submit(set, { hashParameters: `base64_signer_key: ${signer}, rounds: 8` });
    expect([half.status, mainOf(half).includes('hold base64_signer_key, base64_salt_separator')]).toEqual([
      422,
      true,
    ]);
    expect(half.text).not.toContain(signer);
    const whole = `hash_config { base64_signer_key: ${signer}, base64_salt_separator: Bw==, rounds: 8, mem_cost: 14, }`;
    expect((await admin.submit(set, { hashParameters: whole })).status).toBe(303);
    await service.imported();
    expect(await told(path)).toMatchObject({
      phase: 'checked',
      hasHashParameters: true,
      check: { added: 1, refused: 0, withoutPassword: 0 },
    });
    const { text } = await admin.send(pageOf(path));
    const kept = await service.store.transaction(async (tx) => [
      await tx.selectFrom('imports').selectAll().execute(),
      await tx.selectFrom('auditEvents').selectAll().execute(),
    ]);
    expect(text + JSON.stringify(kept)).not.toContain(signer.slice(0, 20));
    await cancel(path);
  });
});
