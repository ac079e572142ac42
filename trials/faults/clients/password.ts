import { type AccountVisitor, accountOf } from '../../../test/support/members/account.ts';
import { developmentPassword, expectStatus, type LedgerClient } from './client.ts';
import { signsIn } from './sign-up.ts';

/** A member who changes the password over and over, from that of the development data on. */
export function passwordClient(name: string, email = 'bo@example.com'): LedgerClient {
  let count = 0;
  let current = developmentPassword;
  let before: string | null = null;
  let sent: string | null = null;
  let account: AccountVisitor | null = null;
  return {
    name,
    act: async ({ service, host }, ledger) => {
      account ??= await accountOf(service, host, email, { password: current });
      count += 1;
      const password = `vind over vann nummer ${count}`;
      ledger.intent('password');
      sent = password;
      const form = { currentPassword: current, password };
      expectStatus(await account.submit('/account/password', form), 303, 'a new password');
      [before, current, sent] = [current, password, null];
      ledger.ack('password');
    },
    check: async (site) => {
      const [wanted, asked] = [current, sent];
      const old = asked === null ? before : null;
      [account, sent, before] = [null, null, null];
      const problems = [];
      if (old !== null && (await signsIn(site, email, old)))
        problems.push('a password that was changed works');
      const works = await signsIn(site, email, wanted);
      if (asked === null) {
        if (!works) problems.push('an acknowledged new password does not work');
        return problems;
      }
      const newWorks = await signsIn(site, email, asked);
      if (works === newWorks)
        problems.push(`after a change that was not answered ${works ? 'both' : 'no'} passwords work`);
      if (newWorks) {
        current = asked;
        // A good sign-in forgets the failures; the one above may have been the last.
      }
      return problems;
    },
  };
}
