import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { headBytes, importPartBytes, uploadBytes } from '../../../../src/core/import/limits.ts';
import { hosts } from '../../../support/fixtures.ts';
import { importDesk, line, sentInTwo, withFile } from '../../../support/members/moving-in/uploads.ts';
import { adminOf, refusal, run, tokenOf } from '../../../support/operators/desk.ts';
import { filledIn, mainOf, newAdmin, type PortalVisitor } from '../../../support/operators/portal.ts';
import { useService } from '../../../support/use-service.ts';

const service = useService({ data: 'security' });
const tenant = hosts.a;
let admin: PortalVisitor;
const { begin, cancel, idOf, partsOf, told, upload } = importDesk(service, tenant, () => admin);

beforeAll(async () => {
  admin = await newAdmin(service, tenant, 'imports@example.test', 'tenant_admin');
});

describe('a hostile file, or sender, of an import in the portal', () => {
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
      { service, host: tenant, cookies: admin.cookies },
      path,
      { headers, halves: [body.subarray(0, half), body.subarray(half)] },
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
});
