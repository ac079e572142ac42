import { email, type LedgerClient, newFamily, next } from './client.ts';

/** Refreshes one sign-in over and over. */
export function refresher(name: string, member = email): LedgerClient {
  let current: string | null = null;
  let spent: string | null = null;
  let isSent = false;
  let checks = 0;
  return {
    name,
    act: async (site, ledger) => {
      if (current === null) {
        current = await newFamily(site, undefined, member);
        spent = null;
      }
      ledger.intent('refresh');
      isSent = true;
      const token = await next(site, current);
      if (token === null) throw new Error('the current token was refused');
      isSent = false;
      [spent, current] = [current, token];
      ledger.ack('refresh');
    },
    check: async (site) => {
      if (current === null) return [];
      const [token, before] = [current, spent];
      checks += 1;
      // What was not acknowledged: the old token works once, or its sign-in is over.
      if (isSent) {
        [current, isSent] = [null, false];
        const problem = 'a token whose refresh was not answered worked twice';
        return (await next(site, token)) !== null && (await next(site, token)) !== null ? [problem] : [];
      }
      if (checks % 2 === 0 && before !== null) {
        current = null;
        if ((await next(site, before)) !== null)
          return ['a token that was acknowledged as spent worked again'];
        return (await next(site, token)) === null
          ? []
          : ['the reuse of a spent token did not end the sign-in'];
      }
      current = await next(site, token);
      return current === null ? ['an acknowledged refresh token does not work'] : [];
    },
  };
}
