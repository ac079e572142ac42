import { pbkdf2Sync } from 'node:crypto';
import { hashSync } from 'bcryptjs';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { disableMember } from '../../../../src/operations/member/member.ts';
import { shaCrypt } from '../../../../src/secrets/hashes/sha-crypt.ts';
import { createPasswords } from '../../../../src/secrets/password.ts';
import { updatePasswordHash } from '../../../../src/storage/members/member.ts';
import { mostPasswordWork } from '../../../../src/storage/members/password-work.ts';
import { setLimits, tenantOf } from '../../../support/device.ts';
import { hosts } from '../../../support/fixtures.ts';
import { addMember, oldPassword } from '../../../support/members/recover.ts';
import { countingWork } from '../../../support/members/work.ts';
import { useService } from '../../../support/use-service.ts';
import { authorizationParameters, pkce, visitor } from '../../../support/visitor.ts';

const spent = countingWork();
/** What hashes take that are made here. */
const made = { memory: 1_024, passes: 2, parallelism: 1 };
const passwords = createPasswords(undefined, undefined, made, spent.hashing);
const service = useService({ data: 'security', passwords });

beforeAll(async () => {
  await setLimits(service, hosts.a, { failedSignInsPerAddressAndMinute: null });
});
beforeEach(() => spent.work());

/** A member whose hash was made elsewhere, with these parameters. */
const imported = async (memory: number, passes: number): Promise<string> => {
  const member = await addMember(service, hosts.a);
  const elsewhere = createPasswords(undefined, undefined, { memory, passes, parallelism: 1 });
  const hash = await elsewhere.hash(oldPassword);
  await service.store.transaction((tx) => updatePasswordHash(tx, member, hash));
  return member.email;
};

/** What a sign-in at a tenant takes, of each kind. */
const unitsOf = async (email: string, password: string, host: string) => {
  const browser = visitor(service, host);
  const page = await browser.authorize(authorizationParameters('pub1', 'https://pub1.test/cb', pkce()));
  spent.work();
  const { status } = await browser.signIn(page, email, password);
  expect(status).toBe(password === oldPassword ? 303 : 422);
  return spent.units();
};

/** The same, of our own kind. */
const workOf = async (email: string, password: string, host: string = hosts.a): Promise<number> =>
  (await unitsOf(email, password, host)).argon2id ?? 0;

it('A1: with imported hashes, weaker and stronger, every refusal takes as long as the slowest hash of the tenant', async () => {
  const ordinary = (await addMember(service, hosts.a)).email;
  const [weak, strong] = [await imported(8, 1), await imported(2_048, 3)];
  const disabled = await addMember(service, hosts.a);
  await service.store.transaction((tx) =>
    disableMember(tx, disabled.tenantId, disabled.id, service.clock.now()),
  );
  for (const email of [ordinary, weak, strong, disabled.email, 'unknown@example.test']) {
    const work = await workOf(email, 'wrong one');
    expect(Math.abs(work / (2_048 * 3) - 1), `${email}: ${work}`).toBeLessThan(0.01);
  }
  // Another tenant has none of those.
  expect(await workOf('unknown@example.test', 'wrong one', hosts.b)).toBe(made.memory * made.passes);
});

it('A1: a weaker hash is made anew by a right sign-in, and takes what others take from then on', async () => {
  const weak = await imported(16, 1);
  await workOf(weak, oldPassword);
  const { passwordWork } = await service.store.transaction((tx) =>
    tx
      .selectFrom('members')
      .select('passwordWork')
      .where('normalisedEmail', '=', weak)
      .executeTakeFirstOrThrow(),
  );
  expect(passwordWork).toBe(made.memory * made.passes);
});

it('A1: with hashes of old systems, every refusal takes the work of each kind that the tenant has', async () => {
  const keep = async (hash: string) => {
    const member = await addMember(service, hosts.b);
    await service.store.transaction((tx) => updatePasswordHash(tx, member, hash));
    return member.email;
  };
  const bcrypt = (cost: string) => hashSync(oldPassword, `$2b$${cost}$${'.'.repeat(22)}`);
  const crypt = (rounds: number) =>
    `$6$rounds=${rounds}$salt$${shaCrypt('sha512', oldPassword, 'salt', rounds)}`;
  const pbkdf2 = `$pbkdf2-sha256$i=900$c2FsdA$${pbkdf2Sync(oldPassword, 'salt', 900, 32, 'sha256').toString('base64').replace('=', '')}`;
  const old = await Promise.all([bcrypt('04'), bcrypt('05'), crypt(1_000), crypt(1_300), pbkdf2].map(keep));
  const all = {
    argon2id: made.memory * made.passes,
    bcrypt: 32,
    'sha512-crypt': 1_300,
    'pbkdf2 sha256': 900,
  };
  for (const email of [...old, 'unknown@example.test', (await addMember(service, hosts.b)).email]) {
    expect(await unitsOf(email, 'wrong one', hosts.b), email).toEqual(all);
  }
  // A right one takes as much, and one hash of ours, which is what is kept from then on; what no one has is computed no more.
  const own = { ...all, argon2id: 2 * all.argon2id };
  const bySignIn = [
    own,
    own,
    { ...own, 'sha512-crypt': 1_300 },
    { argon2id: own.argon2id, bcrypt: 32, 'pbkdf2 sha256': 900 },
  ];
  for (const email of old.filter((_, at) => at !== 1)) {
    expect(await unitsOf(email, oldPassword, hosts.b), email).toEqual(bySignIn.shift());
  }
  const kept = () => service.store.transaction((tx) => mostPasswordWork(tx, tenantOf(service, hosts.b).id));
  expect(await kept()).toEqual({ argon2id: all.argon2id, bcrypt: 32 });
});
