import { setTimeout as wait } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import { linkIn } from '../../../test/support/mails/outbox.ts';
import { submitRecovery, submitReset } from '../../../test/support/members/recover.ts';
import { visitor } from '../../../test/support/visitor.ts';
import { expectStatus } from '../../faults/clients/client.ts';
import { signsIn } from '../../faults/clients/sign-up.ts';
import type { Served } from '../../faults/site.ts';
import type { Cluster } from '../site/cluster.ts';
import { racerOf } from '../site/tenants.ts';
import type { Contest, Race } from './race.ts';

/** How long a mail may take to come (ms). */
const mailTime = 10_000;
const passwords = ['kvist og eld i skogen', 'regn over vann og fjell'] as const;

/** The path of the link in the mail to an address. */
async function linkTo({ mailTo }: Served, email: string): Promise<string> {
  for (const until = performance.now() + mailTime; performance.now() < until; await wait(10)) {
    const mail = mailTo(email);
    if (mail === null) continue;
    return new URL(linkIn({ text: (await PostalMime.parse(mail)).text ?? '' })).pathname;
  }
  throw new Error('no mail comes');
}

/** Two who have the link of one mail choose a password each. */
const chooseTwice = (email: string, link: string): Contest => ({
  // Whether the page of the second says that the work is done or that the link is over depends on when it is looked at.
  parts: passwords.map((password) => async ({ service, host }) => {
    const { status } = await submitReset(visitor(service, host), link, password);
    return String(status);
  }),
  after: async (at) => {
    const working = [];
    for (const password of passwords) working.push(await signsIn(at, email, password));
    return `the first password ${working[0] ? 'works' : 'does not'}, the second ${working[1] ? 'works' : 'does not'}`;
  },
});

export const recoverTwice: Race = {
  name: 'the link of a recovery, twice',
  isOfEquals: false,
  begin: async (at, round) => {
    const { service, host } = at;
    const email = racerOf('recovery', round);
    const browser = visitor(service, host);
    const asked = await submitRecovery(browser, await browser.send('/recover'), email);
    expectStatus(asked, 303, 'a recovery');
    return chooseTwice(email, await linkTo(at, email));
  },
};

export const inviteTwice = ({ adminToken }: Cluster): Race => ({
  name: 'the link of an invitation, twice',
  isOfEquals: false,
  begin: async (at, round) => {
    const email = `invited-${round}@example.com`;
    const made = await at.http(at.host, `/api/v1/admin/tenants/${at.host}/members`, {
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ fullName: 'Nova Lund', email }),
    });
    expectStatus(made, 200, 'an invitation');
    return chooseTwice(email, await linkTo(at, email));
  },
});
