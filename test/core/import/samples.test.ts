import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ImportedMember, ReadingOptions } from '../../../src/core/import/entry.ts';
import { type FileHead, layoutOf, readHead, readPiece } from '../../../src/core/import/format.ts';
import { splitter } from '../../../src/core/import/split.ts';
import { createPasswords } from '../../../src/secrets/password.ts';

const passwords = createPasswords(undefined, undefined, { memory: 64, passes: 1, parallelism: 1 });

/** The parameters of the project in Firebase's own sample. */
const firebase = {
  signerHash: 'IE5iHSJkoaGukvW7MZhCqN8va81S60c8CaUJN5mf9ig=',
  saltSeparator: 'Bw==',
  rounds: 8,
  memoryCost: 14,
};

function read(name: string, columns: ReadingOptions['columns'] = {}) {
  const bytes = readFileSync(new URL(`../../../docs/moving-in/${name}`, import.meta.url));
  const options = { columns, firebase };
  const found = readHead(bytes.subarray(0, 1_024), null, options);
  if (!found.ok) throw new Error(`the head of ${name} is refused: ${found.problem.code}`);
  const { head } = found;
  const cutter = splitter(layoutOf(head), head.begins);
  const pieces = [...cutter.push(bytes.subarray(head.begins.offset)), ...cutter.end()];
  const members = pieces.map((piece): ImportedMember => {
    const entry = readPiece(piece, head, options);
    if (!entry.ok) throw new Error(`line ${piece.line} of ${name}: ${JSON.stringify(entry.problems)}`);
    return entry.member;
  });
  return { head, pieces, members };
}

const column = (members: readonly ImportedMember[], name: keyof ImportedMember) =>
  members.map((member) => member[name]);

async function knows({ password }: ImportedMember): Promise<boolean | null> {
  if (password === null) return null;
  return passwords.verify('memberdoor-development', await passwords.keep(password));
}

describe('a file of another system is told from what is in it, and read', () => {
  it.each<[string, FileHead['format'], (boolean | null)[], (boolean | undefined)[]]>([
    ['auth0.jsonl', 'auth0', [true, true, null], [true, false, true]],
    ['keycloak.json', 'keycloak', [true, true, null], [true, true, false]],
    ['firebase.json', 'firebase', [true, null], [true, true]],
    ['wordpress.csv', 'wordpress', [true, true, true], [undefined, undefined, undefined]],
    ['ghost.csv', 'ghost', [null, null], [true, true]],
    ['logto.json', 'logto', [true, true], [true, true]],
    ['better-auth.jsonl', 'better-auth', [true, null], [true, true]],
    ['your-own.jsonl', 'own', [true, true], [true, undefined]],
  ])('%s is of %s', async (name, format, known, verified) => {
    const { head, members } = read(name);
    expect(head.format).toBe(format);
    expect(members[0]).toMatchObject({ email: 'ada@example.com', fullName: 'Ada Nilsen' });
    for (const { externalId } of members) expect(externalId).toMatch(/./);
    expect(await Promise.all(members.map(knows))).toEqual(known);
    expect(column(members, 'emailVerified')).toEqual(verified);
  });

  it.each(['auth0.jsonl', 'firebase.json', 'better-auth.jsonl'])(
    '%s: accounts of other providers come along',
    (name) => {
      const [first, ...others] = read(name).members;
      expect(first?.accounts).toEqual([]);
      expect(others.at(-1)?.accounts).toEqual([{ provider: 'google', subject: '110169484474386276334' }]);
    },
  );

  it('keycloak.json: a user who is not enabled is disabled, and the lines are those of the realm', () => {
    const { members, pieces } = read('keycloak.json');
    expect(column(members, 'isDisabled')).toEqual([false, false, true]);
    expect(members[0]).toMatchObject({ phone: '+4791234567', language: 'nb', createdAt: 1_614_935_564_120 });
    const text = readFileSync(
      new URL('../../../docs/moving-in/keycloak.json', import.meta.url),
      'utf8',
    ).split('\n');
    for (const { line } of pieces) expect(text[line - 1]).toBe('    {');
  });

  it('your-own.csv: columns are called as people call them, or as the operator says', async () => {
    const { head, members } = read('your-own.csv', { customer: 'externalId', proven: 'emailVerified' });
    expect(head).toMatchObject({ format: 'own', layout: 'records', delimiter: ',' });
    expect(await Promise.all(members.map(knows))).toEqual([true, true, null]);
    expect(column(members, 'externalId')).toEqual(['10001', '10002', '10003']);
    expect(column(members, 'emailVerified')).toEqual([true, false, true]);
    expect(column(members, 'fullName')).toEqual(['Ada Nilsen', 'Berg, Bo', 'Cy Young']);
    expect(column(members, 'consents')).toEqual([
      [{ id: 'newsletter', status: 'accepted', changedAt: undefined }],
      [{ id: 'newsletter', status: 'withdrawn', changedAt: undefined }],
      [],
    ]);
    expect(members[2]?.subscriptions).toEqual([
      {
        package: 'Digital',
        activatedAt: Date.UTC(2026, 5, 1),
        expiresAt: Date.UTC(2026, 11, 1),
        properties: {},
      },
    ]);
  });

  it('ghost.csv: what its columns mean besides, the operator says', () => {
    const { members } = read('ghost.csv', { subscribed_to_emails: 'consent:newsletter', tiers: 'package' });
    expect(column(members, 'consents')).toEqual([
      [{ id: 'newsletter', status: 'accepted' }],
      [{ id: 'newsletter', status: 'withdrawn' }],
    ]);
    expect(column(members, 'subscriptions')).toEqual([[{ package: 'Digital', properties: {} }], []]);
    const [first] = read('ghost.csv', { labels: 'nickName' }).members;
    expect(first).toMatchObject({ nickName: 'reader,founder', fullName: 'Ada Nilsen' });
  });
});
