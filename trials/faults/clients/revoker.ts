import { revoke } from '../../../test/support/tokens.ts';
import { type Visitor, visitor } from '../../../test/support/visitor.ts';
import { email, expectStatus, type LedgerClient, newFamily, next } from './client.ts';

/** Begins sign-ins and revokes them. */
export function revoker(name: string, member = email): LedgerClient {
  let browser: Visitor | null = null;
  let revoked: string[] = [];
  return {
    name,
    act: async (site, ledger) => {
      browser ??= visitor(site.service, site.host);
      const current = await newFamily(site, browser, member);
      ledger.intent('revoke');
      const body = { client_id: 'spa', token: current };
      expectStatus(await revoke(site.service, site.host, body), 200, 'a revocation');
      revoked.push(current);
      ledger.ack('revoke');
    },
    check: async (site) => {
      const some = revoked.slice(-20);
      [revoked, browser] = [[], null];
      const problems = [];
      for (const token of some) {
        if ((await next(site, token)) !== null)
          problems.push('a token that was acknowledged as revoked works');
      }
      return problems;
    },
  };
}
