import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { hashSync } from 'bcryptjs';
import { describe, expect, it } from 'vitest';
import { notUtf8 } from '../../src/core/import/format.ts';
import { entryBytes } from '../../src/core/import/limits.ts';
import { hosts } from '../support/fixtures.ts';
import { command } from '../support/operators/command.ts';
import { importsOf, lines } from '../support/operators/importing.ts';
import { useService } from '../support/use-service.ts';

const service = useService({ data: 'security' });
const { write, run, memberOf, pathOf } = importsOf(service);

describe('memberdoor import', () => {
  it('MI1, MI2: a line that is too long, one that is no UTF-8 and a half-written last one are refused, and the rest is taken in', async () => {
    const path = write(
      'long.jsonl',
      Buffer.concat([
        Buffer.from(lines({ email: 'nine@moved.test' })),
        Buffer.from(`{"email":"${'x'.repeat(entryBytes)}"}\n`),
        Buffer.from('7b22656d61696c223a22ff227d0a', 'hex'),
        Buffer.from('{"email":"ten@mo'),
      ]),
    );
    expect((await run(path)).out).toMatch(/^1 new, 0 changed, 0 skipped, 3 refused/);
    const refused = readFileSync(`${path}.refused.jsonl`, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(refused.map(({ line, reasons }) => [line, reasons[0].slice(0, 20)])).toEqual([
      [2, 'the line is longer t'],
      [3, 'it is not in UTF-8: '],
      [4, 'it is no whole objec'],
    ]);
  });

  it('MI9: a file that changes while it is read is not taken for the one that was begun', async () => {
    const path = write(
      'changing.jsonl',
      lines(...Array.from({ length: 100 }, (_, at) => ({ email: `c${at}@changed.test` }))),
    );
    let hasGrown = false;
    const grown = command(service.folder, ['import', path, '--tenant', hosts.a, '--check'], {
      heard: () => {
        if (!hasGrown) appendFileSync(path, lines({ email: 'late@changed.test' }));
        hasGrown = true;
      },
    });
    await expect(grown).rejects.toThrow('changed while it was read');
    expect(await memberOf('late@changed.test')).toBeUndefined();
  });

  it.each([
    ['firebase.json', ['--firebase-hash']],
    ['ghost.csv', []],
    ['logto.json', ['--slow-hashes']],
    ['better-auth.jsonl', []],
  ])('the sample %s of the documentation is taken whole', async (name, words) => {
    const sample = fileURLToPath(new URL(`../../docs/moving-in/${name}`, import.meta.url));
    const hash = write(
      'hash_config',
      'hash_config {\n  algorithm: SCRYPT,\n  base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,\n  base64_salt_separator: Bw==,\n  rounds: 8,\n  mem_cost: 14,\n}\n',
    );
    const options = words[0] === '--firebase-hash' ? [words[0], hash] : words;
    const { out, code } = await command(service.folder, [
      'import',
      sample,
      '--tenant',
      hosts.b,
      '--check',
      ...options,
    ]);
    expect(out).toContain(', 0 refused. Nothing was done.');
    expect(code).toBe(0);
  });

  it('MI7: hashes that would make sign-ins slow are refused unless the operator takes them', async () => {
    const path = write(
      'slow.jsonl',
      lines(
        { email: 'slow@moved.test', passwordHash: `$2b$13$${'a'.repeat(53)}` },
        { email: 'never@moved.test', passwordHash: `$2b$31$${'a'.repeat(53)}` },
      ),
    );
    expect((await run(path, '--check')).out).toMatch(/0 would be new, 0 changed, 0 skipped, 2 refused/);
    const slow = await run(path, '--check', '--slow-hashes');
    expect(slow.out).toMatch(/1 would be new, 0 changed, 0 skipped, 1 refused/);
    expect(slow.out).toContain('would cost as much as');
  });

  it('needs a file that is there, and is told from what it is', async () => {
    await expect(run(pathOf('nothing'))).rejects.toThrow('cannot be read');
    const { code, err } = await run(write('packed.zip', Buffer.from('504b0304140000000800', 'hex')));
    expect([code, err]).toEqual([1, expect.stringContaining('it cannot be told what kind of file this is')]);
    expect(existsSync(pathOf('packed.zip.refused.jsonl'))).toBe(false);
    expect(notUtf8).toHaveLength(1);
  });

  it.each(['jsonl', 'csv'])(
    'MI3: what is exported as %s is what an import takes in, and no spreadsheet calculates with it',
    async (format) => {
      const path = write(
        `out-${format}.jsonl`,
        lines({
          email: `out-${format}@moved.test`,
          fullName: '=HYPERLINK("x")',
          phone: '+4791234567',
          passwordHash: hashSync('x', 4),
          address: { city: 'Oslo' },
        }),
      );
      await run(path);
      const words = ['export', 'members', '--tenant', hosts.a, '--format', format, '--passwords'];
      const { out } = await command(service.folder, words);
      const row = out.split('\n').filter((line) => line.includes(`out-${format}@`));
      expect(row).toHaveLength(1);
      if (format === 'csv') expect(row[0]).toContain(`"'=HYPERLINK(""x"")"`);
      const copy = write(
        `copy.${format}`,
        format === 'csv' ? `${out.split('\n')[0]}\n${row[0]}\n` : `${row[0]}\n`,
      );
      const elsewhere = ['import', copy, '--tenant', hosts.b];
      expect((await command(service.folder, elsewhere)).out).toMatch(
        /^1 new, 0 changed, 0 skipped, 0 refused/,
      );
      const [one, other] = await service.store.transaction((tx) =>
        tx
          .selectFrom('members')
          .selectAll()
          .where('email', '=', `out-${format}@moved.test`)
          .orderBy('id')
          .execute(),
      );
      const told = ({ fullName, phone, passwordHash, addressCity }: NonNullable<typeof one>) => [
        fullName,
        phone,
        passwordHash,
        addressCity,
      ];
      if (one === undefined || other === undefined) throw new Error('it is not there twice');
      expect(told(other)).toEqual(told(one));
      const without = await command(service.folder, words.slice(0, -1));
      expect(without.out).not.toContain('$2b$');
    },
  );
});
