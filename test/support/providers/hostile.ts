import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'vitest';
import { changeProvider, type ProviderChanges } from '../../../src/operations/providers/identity-provider.ts';
import type { Tx } from '../../../src/storage/store.ts';
import type { Answer } from '../http.ts';
import type { AccountVisitor } from '../members/account.ts';
import type { TestService } from '../service.ts';
import type { Visitor } from '../visitor.ts';
import { startForeignProvider } from './foreign-provider.ts';
import { acmeOf, atSignInOf, leaveFrom, linksIn, registerAt } from './traveller.ts';

/** A key as Apple gives one. */
export const appleKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

/** Whether a browser is signed in at Acme. */
export const isSignedIn = async (browser: Visitor) => (await browser.send('/account')).status === 200;

/** What hostile cases do to Acme. */
export function hostileTo(service: TestService) {
  const change = <Value>(work: (tx: Tx, tenantId: string) => Promise<Value>): Promise<Value> =>
    service.store.transaction((tx) => work(tx, String(service.tenants.byHost(acmeOf(service))?.id)));
  return {
    change,
    /** Starts a provider, and registers it. */
    started: async (more = {}) => {
      const provider = await startForeignProvider(service.clock.now);
      await registerAt(service, provider, more);
      return provider;
    },
    /** A visitor on the way to a provider. */
    onTheWay: async (options = {}) => {
      const { browser, page } = await atSignInOf(service, options);
      return { browser, sentTo: await leaveFrom(browser, page) };
    },
    /** Holds an answer to the page of a failure, with a reference and nothing done. */
    expectFailed: async ({ browser, answer }: { browser: Visitor; answer: Answer }) => {
      expect(answer.status, answer.text).toBe(502);
      expect(answer.text).toContain('Foreign didn’t sign you in');
      expect(answer.text).toMatch(/Reference: <?[^<]*[a-z0-9]{8}/);
      expect(await isSignedIn(browser)).toBe(false);
      expect(await linksIn(service)).toEqual([]);
    },
    /** Holds an answer to one that leads to no member who was there: to a page that asks for more. */
    expectPending: async ({ browser, answer }: { browser: Visitor; answer: Answer }) => {
      expect(answer.headers.location, answer.text).toMatch(/^\/sign-(?:in|up)\?flow=/);
      expect(await isSignedIn(browser)).toBe(false);
      expect(await linksIn(service)).toEqual([]);
    },
    altered: (changes: ProviderChanges) =>
      change((tx, id) =>
        changeProvider(tx, id, 'foreign', changes, { vault: service.vault, now: service.clock.now() }),
      ),
    /** Forgets what providers said of themselves. */
    forget: () => {
      const { known } = service.deps.providerDocuments;
      for (let oldest = known.oldest(); oldest !== undefined; oldest = known.oldest())
        known.delete(oldest[0]);
    },
  };
}

/** Begins to link an account. @returns where the browser goes */
export async function connecting(browser: Pick<AccountVisitor, 'submit'>): Promise<string> {
  const page = await browser.submit('/account/accounts/connect/foreign', {
    currentPassword: 'memberdoor-development',
  });
  return String(/0;url=(.*)$/.exec(String(page.headers.refresh))?.[1]);
}
