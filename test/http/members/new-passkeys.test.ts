import { describe, expect, it } from 'vitest';
import { deleteMember } from '../../../src/operations/member/member.ts';
import { findPasskeyByCredential, listPasskeys } from '../../../src/storage/members/passkey.ts';
import { hosts } from '../../support/fixtures.ts';
import { accountOf } from '../../support/members/account.ts';
import { expectRefused, inside, isIn, passkeysOf } from '../../support/members/passkeys.ts';
import { askedIn, type SoftPasskey, softPasskey } from '../../support/members/soft-passkey.ts';
import { useService } from '../../support/use-service.ts';
import { field } from '../../support/visitor.ts';

const service = useService({ data: 'security' });

const { at, memberOf, handleOf, make, atSignIn, send, signIn, working } = passkeysOf(service);

describe('making a passkey', () => {
  const refused = async (passkey: SoftPasskey, more: object = {}) => {
    const { answer } = await make(passkey, { more });
    expect(answer.headers.location).not.toBe('/account/passkeys');
    const { tenantId } = await memberOf(hosts.a, 'u1@example.test');
    expect(
      await service.store.transaction((tx) => findPasskeyByCredential(tx, tenantId, passkey.id)),
    ).toBeNull();
  };

  it('WA15: the passkey of another member, and the own one once more', async () => {
    const passkey = await working();
    for (const email of ['u1@example.test', 'u2@example.test']) {
      const again = await make(softPasskey(Buffer.from(passkey.id, 'base64url')), { email });
      expect(again.answer.status, email).toBe(422);
    }
    expect(isIn((await signIn(passkey)).answer)).toEqual(inside);
  });

  it('WA16: attestations that were not asked for', async () => {
    for (const format of ['fido-u2f', 'tpm', 'android-safetynet', 'apple', 'made-up']) {
      await refused(softPasskey(), { format });
    }
  });

  it('WA17: algorithms that we did not offer', async () => {
    for (const algorithm of [-35, -37, -65_535, 1]) await refused(softPasskey(), { algorithm });
  });

  it('WA18: another origin, another RP ID, another type, no user verification', async () => {
    for (const more of [
      { origin: 'https://evil.test' },
      { domain: 'evil.test' },
      { type: 'webauthn.get' },
      { flags: 1 },
      { crossOrigin: true },
    ]) {
      await refused(softPasskey(), more);
    }
  });

  it('WA19: a stolen session alone makes none: a member who signed in a while ago proves once more who it is', async () => {
    const account = await accountOf(service, hosts.a);
    service.clock.advance(301_000);
    const page = await account.send('/account/passkeys/new');
    expect(isIn(page)).toEqual([303, '/account/passkeys/confirm']);
    const confirmed = await account.submit('/account/passkeys/confirm', { currentPassword: 'wrong' });
    expect(confirmed.status).toBe(422);
  });

  it('WA20: a challenge of another session', async () => {
    const [one, other] = [await accountOf(service, hosts.a), await accountOf(service, hosts.a)];
    const { challenge } = askedIn(await one.send('/account/passkeys/new'));
    const passkey = softPasskey();
    const token = field(await other.send('/account/passkeys/new'), 'token');
    const body = { token, passkey: passkey.made(at(hosts.a, challenge)) };
    const answer = await other.send('/account/passkeys/new', { body });
    expect(isIn(answer)).toEqual([303, '/account/passkeys/confirm']);
  });

  it('WA21: a passkey of an erased member', async () => {
    const email = 'u2@example.test';
    const passkey = await working(email);
    const { id, tenantId } = await memberOf(hosts.a, email);
    const { browser, flow, challenge } = await atSignIn();
    const userHandle = await handleOf(hosts.a, email);
    await service.store.transaction((tx) => deleteMember(tx, tenantId, id, service.clock.now()));
    expectRefused(await send(browser, flow, passkey.signed({ ...at(hosts.a, challenge), userHandle })));
    expect(await service.store.transaction((tx) => listPasskeys(tx, id))).toEqual([]);
  });
});
