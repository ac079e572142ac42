import { setTimeout as wait } from 'node:timers/promises';
import { findMemberByEmail } from '../../../../src/storage/members/member.ts';
import { openStore } from '../../../../src/storage/sqlite/open.ts';
import { listTenants } from '../../../../src/storage/tenant.ts';
import { accountOf } from '../../../../test/support/members/account.ts';
import { fillMember } from '../../../../test/support/members/crowd.ts';
import { residentMegabytes } from '../../../../test/support/process/started.ts';
import { quantile } from '../../../soak/figures.ts';
import { type Case, type Outcome, violations } from '../../case.ts';
import { newSite, type RunningSite, removeSite, run, type Site } from '../../site.ts';

const email = 'ada@example.com';
const viewers = 4;
const viewing = 10_000;
/** Bytes of a page, ms of a page and of what others wait; with other work on the machine, so many times as without. */
const most = { bytes: 60_000, page: 100, others: 20, slack: 5, memory: 100 } as const;
const pages = ['', '/devices', '/sessions', '/subscriptions', '/consents'] as const;

/** Gives a member of the development data ten thousand of everything, while the service is stopped. */
async function crowd({ folder }: Site, host: string): Promise<void> {
  const store = await openStore(folder, false);
  const tenants = await store.transaction(listTenants);
  const tenantId = String(tenants.find(({ tenant }) => tenant.host === host)?.tenant.id);
  const found = await store.transaction((tx) => findMemberByEmail(tx, tenantId, email));
  await fillMember(store, { tenantId, memberId: String(found?.member.id), clientId: 'spa' }, Date.now());
  await store.close();
}

/** How long others wait for what costs nothing, until the work is done, in ms. */
async function othersWait({ http, host }: RunningSite, work: Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = [];
  let isOver = false;
  void work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const begun = performance.now();
    await http(host, '/livez');
    times.push(performance.now() - begun);
    await wait(2);
  }
  return times;
}

async function runCrowded(): Promise<Outcome> {
  const found = violations();
  const site = await newSite();
  await (await run(site)).stop();
  await crowd(site, site.host);
  const running = await run(site);
  const { service, host, started } = running;
  const account = await accountOf(service, host, email);
  for (const page of pages) await account.send(`/account${page}`);
  const usual = quantile(await othersWait(running, wait(3_000)), 0.99);

  const before = residentMegabytes(started.pid);
  const times: number[] = [];
  let bytes = 0;
  const view = async () => {
    for (const until = performance.now() + viewing; performance.now() < until; ) {
      for (const page of pages) {
        const begun = performance.now();
        const { text, status } = await account.send(`/account${page}`);
        times.push(performance.now() - begun);
        bytes = Math.max(bytes, Buffer.byteLength(text));
        found.unless(status === 200, `/account${page} is answered by ${status}`);
      }
    }
  };
  const viewed = Promise.all(Array.from({ length: viewers }, view));
  const others = quantile(await othersWait(running, viewed), 0.99);
  await viewed;
  const memory = residentMegabytes(started.pid) - before;
  const page = quantile(times, 0.99);
  found.unless(bytes < most.bytes, `a page has ${bytes} bytes`);
  found.unless(
    page <= Math.max(most.page, viewers * most.slack * usual),
    `a page took ${Math.round(page)} ms`,
  );
  found.unless(others <= Math.max(most.others, most.slack * usual), `others wait ${Math.round(others)} ms`);
  found.unless(memory <= most.memory, `${memory} MB above before`);
  await running.kill();
  removeSite(site);
  const figures = [
    `${times.length} pages of up to ${bytes} bytes`,
    `p50 ${Math.round(quantile(times, 0.5))} ms, p99 ${Math.round(page)} ms`,
    `others' p99 ${Math.round(others)} ms (${Math.round(usual)} without)`,
    `+${memory} MB on ${before}`,
  ];
  return { rounds: times.length, violations: found.all, note: figures.join(', ') };
}

export const crowdedMember: Case = {
  id: 'F10',
  title: 'four viewers on the pages of a member with 10,000 sign-ins, browsers and consents',
  needs: [],
  run: runCrowded,
};
