import { type ClientRequest, request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { headBytes, importPartBytes, uploadBytes } from '../../../../src/core/import/limits.ts';
import { hosts } from '../../../support/fixtures.ts';
import { type Answer, exchange } from '../../../support/http.ts';
import { adminOf, refusal, run, tokenOf } from '../../../support/operators/desk.ts';
import { filledIn, mainOf, newAdmin, type PortalVisitor } from '../../../support/operators/portal.ts';
import { useService } from '../../../support/use-service.ts';

const service = useService({ data: 'security' });
const tenant = hosts.a;
let admin: PortalVisitor;

beforeAll(async () => {
  admin = await newAdmin(service, tenant, 'imports@example.test', 'tenant_admin');
});

const line = (email: string, more: object = {}) => `${JSON.stringify({ email, ...more })}\n`;

/** A form as a browser sends it: its fields, and a file behind them. */
function withFile(form: Iterable<readonly [string, string]>, name: string, content: Buffer) {
  const mark = 'xxBoundaryxx';
  const fields = [...form].map(
    ([field, value]) => `--${mark}\r\ncontent-disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`,
  );
  const head = `--${mark}\r\nContent-Disposition: form-data; name="file"; filename="${name.replaceAll('"', '%22')}"\r\nContent-Type: text/csv\r\n\r\n`;
  const body = Buffer.concat([
    Buffer.from(fields.join('') + head),
    content,
    Buffer.from(`\r\n--${mark}--\r\n`),
  ]);
  return { body, headers: { 'content-type': `multipart/form-data; boundary=${mark}` } };
}

/** Makes an import in the portal. @returns the address of the page that uploads its file */
async function begin(values = {}): Promise<string> {
  const made = await admin.submit(`/admin/tenants/${tenant}/imports/+create`, values);
  expect(made.status, mainOf(made)).toBe(303);
  return String(made.headers.location).split('?')[0] ?? '';
}

async function upload(path: string, name: string, content: Buffer, by = admin): Promise<Answer> {
  const page = await admin.send(path);
  expect(page.status).toBe(200);
  const form = [...filledIn(page)].filter(([field]) => field === 'token');
  return by.send(path, withFile(form, name, content));
}

/** Sends a body in two, and does something when its first half was sent. */
async function sentInTwo(
  path: string,
  headers: Readonly<Record<string, string>>,
  [first, second]: readonly [Buffer, Buffer],
  between: () => Promise<void>,
): Promise<Answer> {
  const cookie = [...admin.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const length = { 'content-length': String(first.length + second.length) };
  const ask = { method: 'POST', headers: { ...headers, ...length, cookie } };
  const sent = Promise.withResolvers<ClientRequest>();
  const answer = exchange(tenant, path, ask, (options, answered) => {
    const asked = request({ ...options, port: service.port }, answered);
    asked.write(first, () => sent.resolve(asked));
    // It ends when the second half was sent.
    return Object.assign(Object.create(asked), { end: () => asked });
  });
  const asked = await sent.promise;
  await between();
  asked.end(second);
  return answer;
}

const idOf = (path: string) => path.split('/').at(-3) ?? '';
const pageOf = (path: string) => `/admin/tenants/${tenant}/imports/${idOf(path)}`;
const told = (path: string) =>
  run<Record<string, unknown>>(service, 'imports.read', { tenant, importId: idOf(path) });
const cancel = (path: string) => run(service, 'imports.cancel', { tenant, importId: idOf(path) });

const partsOf = (importId: string) =>
  service.store.transaction((tx) =>
    tx.selectFrom('importParts').selectAll().where('importId', '=', importId).orderBy('start').execute(),
  );

const memberCount = () =>
  service.store.transaction(async (tx) => {
    const rows = tx.selectFrom('members').select(({ fn }) => fn.countAll<number>().as('rows'));
    return Number((await rows.executeTakeFirstOrThrow()).rows);
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

  it.each(['a\u0000b.csv', 'a\nb.csv', 'x'.repeat(256)])(
    'refuses a name that is no line of text: %j',
    async (name) => {
      const made = await refusal(service, 'imports.create', { tenant, name });
      expect([made.kind, made.problems.length]).toEqual(['invalid', 1]);
      const path = await begin();
      const part = {
        importId: idOf(path),
        start: 0,
        content: Buffer.from(line('n@n.test')).toString('base64'),
      };
      expect(await refusal(service, 'imports.upload', { tenant, ...part, last: true, name })).toMatchObject({
        kind: 'invalid',
      });
      await cancel(path);
    },
  );

  it('MI13: takes nothing beyond the bound, of no form, and shows a form again that has no file it can read', async () => {
    const path = await begin();
    for (const [name, content, reason] of [
      ['packed.gz', gzipSync(Buffer.alloc(10_000_000)), 'not in UTF-8'],
      ['empty.csv', Buffer.alloc(0), 'file is empty'],
    ] as const) {
      const page = await upload(path, name, content);
      expect([page.status, mainOf(page).includes(reason)], mainOf(page)).toEqual([422, true]);
    }
    const none = await upload(path, '', Buffer.alloc(0));
    expect([none.status, mainOf(none).includes('is missing')], mainOf(none)).toEqual([422, true]);
    const large = await admin
      .send(path, withFile([], 'large.jsonl', Buffer.alloc(uploadBytes + 100_000, 'x')))
      .catch(() => ({ status: 413 }));
    expect(large.status).toBe(413);
    const part = { tenant, importId: idOf(path), content: Buffer.alloc(headBytes, ' ').toString('base64') };
    expect(await refusal(service, 'imports.upload', { ...part, start: 7, last: false })).toMatchObject({
      kind: 'conflict',
    });
    const nearlyAll = uploadBytes - headBytes + 1;
    await service.store.transaction((tx) =>
      tx.updateTable('imports').set({ received: nearlyAll }).where('id', '=', idOf(path)).execute(),
    );
    expect(await refusal(service, 'imports.upload', { ...part, start: nearlyAll, last: true })).toMatchObject(
      {
        kind: 'invalid',
      },
    );
    expect(await partsOf(idOf(path))).toEqual([]);
    await cancel(path);
  });

  it('MI14: lets a line of many megabytes go by, and what looks like a formula is a text', async () => {
    const path = await begin();
    const content = Buffer.concat([
      Buffer.from(line('before@long.test', { fullName: '=HYPERLINK("x")' })),
      // It could be read, were it not so long.
      Buffer.from(line('long@long.test', { note: 'a'.repeat(9_000_000) })),
      Buffer.from(line('after@long.test')),
    ]);
    expect((await upload(path, '=cmd|x!A1.jsonl', content)).status).toBe(303);
    await service.imported();
    await run(service, 'imports.start', { tenant, importId: idOf(path) });
    await service.imported();
    expect(await told(path)).toMatchObject({ phase: 'done', added: 2, refused: 1 });
    const { text } = await run<{ text: string }>(service, 'imports.refusals', {
      tenant,
      importId: idOf(path),
    });
    expect(text).toMatch(/^\{"line":2,"reasons":\["[^"]*1024 KB[^"]*"\],"paths":\[""\]\}\n$/);
  });

  it('MI15: of two hundred that begin at once one does, and no other tenant and no reader touches it', async () => {
    const all = await Promise.all(
      Array.from({ length: 200 }, () =>
        run<{ importId: string }>(service, 'imports.create', { tenant }).then(
          ({ importId }) => importId,
          () => null,
        ),
      ),
    );
    const [importId, ...others] = all.filter((one) => one !== null);
    expect(others).toEqual([]);
    const part = { start: 0, content: Buffer.from(line('x@y.test')).toString('base64'), last: true };
    for (const [name, more] of [
      ['imports.upload', part],
      ['imports.start', {}],
      ['imports.stop', {}],
      ['imports.cancel', {}],
    ] as const) {
      const input = { tenant, importId, ...more };
      const reader = tokenOf(service, tenant, ['members:read']);
      expect(await refusal(service, name, input, reader)).toMatchObject({ kind: 'denied' });
      expect(await refusal(service, name, { ...input, tenant: hosts.b })).toMatchObject({ kind: 'unknown' });
      expect(await refusal(service, name, input, adminOf(service, hosts.b))).toMatchObject({
        kind: 'unknown',
      });
    }
    await run(service, 'imports.upload', { tenant, importId, ...part });
    await run(service, 'imports.cancel', { tenant, importId });
    await service.imported();
    expect(await partsOf(String(importId))).toEqual([]);
    expect(await refusal(service, 'imports.start', { tenant, importId })).toMatchObject({ kind: 'conflict' });
  });

  it('MI16: a form of another session uploads nothing, and a file that was cut off is sent anew from its beginning', async () => {
    const path = await begin();
    for (const [host, who] of [
      [hosts.b, 'stranger'],
      [tenant, 'colleague'],
    ] as const) {
      const other = await newAdmin(service, host, `${who}@example.test`, 'tenant_admin');
      const refused = await upload(path, 'members.jsonl', Buffer.from(line('x@z.test')), other);
      expect(refused.status, who).not.toBe(303);
    }
    expect(await partsOf(idOf(path))).toEqual([]);
    const begun = { tenant, importId: idOf(path), start: 0, last: false };
    const content = Buffer.from(line('first@cut.test') + ' '.repeat(headBytes)).toString('base64');
    await run(service, 'imports.upload', { ...begun, content });
    expect((await upload(path, 'members.jsonl', Buffer.from(line('second@cut.test')))).status).toBe(303);
    await service.imported();
    expect(await told(path)).toMatchObject({ phase: 'checked', check: { added: 1, refused: 0 } });
    await service.store.transaction((tx) => tx.deleteFrom('importParts').execute());
    await run(service, 'imports.start', { tenant, importId: idOf(path) });
    await service.imported();
    expect(await told(path)).toMatchObject({ phase: 'failed', added: 0 });
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

  it('MI20: parts of two files that are sent to one import at once are never put together', async () => {
    const path = await begin();
    const part = Buffer.alloc(importPartBytes, line('early@z.test'));
    const to = { tenant, importId: idOf(path), last: false, content: part.toString('base64') };
    // A form takes its file as it arrives: another sender begins anew when half of it is here.
    const form = [...filledIn(await admin.send(path))].filter(([field]) => field === 'token');
    const { body, headers } = withFile(form, 'mine.jsonl', Buffer.concat([part, part]));
    // A part is sent once there is more.
    const half = body.length - importPartBytes / 2;
    const refused = await sentInTwo(
      path,
      headers,
      [body.subarray(0, half), body.subarray(half)] as const,
      async () => {
        await expect.poll(async () => (await partsOf(idOf(path))).length).toBeGreaterThan(0);
        await run(service, 'imports.upload', { ...to, start: 0, sending: 'theirs' });
      },
    );
    expect(refused.status).toBe(422);
    expect(mainOf(refused)).toMatch(/id="f-file-error">Another sender has begun/);
    const next = { ...to, start: importPartBytes };
    for (const other of [{}, { sending: 'mine' }])
      expect(await refusal(service, 'imports.upload', { ...next, ...other })).toMatchObject({
        kind: 'conflict',
        problems: ['another sender has begun to send the file anew: send yours from its beginning'],
      });
    await run(service, 'imports.upload', { ...next, sending: 'theirs' });
    expect((await partsOf(idOf(path))).map(({ start }) => start)).toEqual([0, importPartBytes]);
    await cancel(path);
  });

  it('MI17: reads no form of a thousand fields, and keeps no one waiting for it', async () => {
    const path = await begin();
    const own = [...filledIn(await admin.send(path))].filter(([field]) => field === 'token');
    const more = Array.from({ length: 1_000 }, () => ['more', ''] as const);
    const sent = withFile([...own, ...more], 'members.jsonl', Buffer.from(line('mi17@z.test')));
    expect((await admin.send(path, sent)).status).toBe(403);
    expect(await partsOf(idOf(path))).toEqual([]);
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
