// Members with details that are told apart from all that others have.
import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import { shopper } from '../../../test/support/access/shopper.ts';
import { leaveTraces, type Personal } from '../../../test/support/members/erased.ts';
import { newPassword } from '../../../test/support/members/sign-up.ts';
import { apps } from '../../../test/support/tokens.ts';
import { anyUnder, type RunningSite, type Served } from '../site.ts';
import { expectStatus } from './client.ts';
import { ask, type Person, tracesInRows } from './traces.ts';

/**
 * Of the new members of each round, so many are erased and so many stay. Some do all that members do, and the first
 * of either has an invoice; many more are made by an operator, a few at once.
 */
const living = { erased: 4, stayed: 1 } as const;
const listed = { erased: 80, stayed: 20, atOnce: 4 } as const;
const mark = () => `zq${randomBytes(5).toString('hex')}`;
const digits = (count: number) => Array.from({ length: count }, () => anyUnder(10)).join('');
const ipv4 = () => `10.1${digits(2)}.1${digits(2)}.1${digits(2)}`;
const ipv6 = () =>
  `2001:db8:${Array.from({ length: 6 }, () => (0x1000 + anyUnder(0xf000)).toString(16)).join(':')}`;

/** Mails to these addresses are never taken by their server. */
export const isLate = (email: string) => email.startsWith('late.');

const newDetails = (): Personal => ({
  name: `Erika ${mark()}`,
  nickName: mark(),
  firstEmail: `${mark()}@erase.test`,
  email: `${mark()}@erase.test`,
  wantedEmail: `late.${mark()}@erase.test`,
  street: `${mark()} 77`,
  city: mark(),
  phone: `+491511${digits(7)}`,
  device: mark(),
  userAgent: `${mark()}/7.7`,
  home: ipv6(),
  tv: ipv4(),
  app: ipv4(),
});

/** How mails are read. */
export interface Post {
  count(email: string): number;
  to(email: string): Buffer | null;
}

/** A new member, who leaves a trace of each detail, and orders what is invoiced if asked to. */
async function newPerson(site: RunningSite, post: Post, hasInvoice: boolean): Promise<Person> {
  const { service, host, http, folder } = site;
  const details = newDetails();
  const mailTo = async (email: string, count: number) => {
    while (post.count(email) < count) {
      await wait(20);
      await http(host, '/livez');
    }
    return (await PostalMime.parse(post.to(email) ?? '')).text ?? '';
  };
  const browser = await leaveTraces({ service, host, app: apps.spa, tv: 'tv', mailTo }, details);
  if (hasInvoice) {
    const query =
      "select id from packages where payment = 'invoice' and tenantId = (select id from tenants where host = ?)";
    const packageId = Number(ask(folder, (file) => file.prepare(query).pluck().get(host)));
    const shop = shopper(service, host, browser);
    await shop.submit(await shop.order({ packageId }), 'confirm');
  }
  const found = ask(folder, (file) =>
    file.prepare('select id from members where email = ?').pluck().get(details.email),
  );
  if (found === undefined) throw new Error(`no member has the address ${details.email}`);
  return { id: String(found), email: details.email, details, hasInvoice };
}

/** A member whom an operator has made, and changes twice later on. */
interface Listed {
  readonly person: Person;
  change(): Promise<void>;
}

/** Rows that grow after others came behind them split pages, which leaves copies in their gaps. */
async function newListed({ http, host }: Served, token: string): Promise<Listed> {
  const email = `${mark()}@erase.test`;
  const long = () => `${mark()} ${'x'.repeat(anyUnder(180))}`.trim();
  const first = { fullName: mark(), phone: `+491511${digits(7)}`, nickName: mark() };
  const address = { line1: long(), city: long() };
  const second = { fullName: long(), address: { line1: long(), city: long(), name: long() } };
  const send = async (method: string, path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const asked = { method, headers, body: JSON.stringify(body) };
    const answer = await http(host, `${membersPath(host)}${path}`, asked);
    return expectStatus(answer, 200, `${method} of a member`).json<{ id: string }>();
  };
  const { id } = await send('POST', '', { ...first, email, password: newPassword });
  const details = {
    email,
    phone: first.phone,
    nickName: first.nickName,
    formerName: first.fullName,
    formerStreet: address.line1,
    formerCity: address.city,
    name: second.fullName,
    street: second.address.line1,
    city: second.address.city,
    addressee: second.address.name,
  };
  const changes: object[] = [{ address }, second];
  return {
    person: { id, email, details, hasInvoice: false },
    change: async () => {
      await send('PATCH', `/${id}`, changes.shift() ?? {});
    },
  };
}

export const membersPath = (host: string) => `/api/v1/admin/tenants/${encodeURIComponent(host)}/members`;

/** New members, with all that they leave behind. */
export async function newPeople(running: RunningSite, post: Post, adminToken: string) {
  const { folder } = running;
  const several = <T>(count: number, make: (index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, index) => make(index)));
  const listing = several(listed.atOnce, async () => {
    const made: Listed[] = [];
    while (made.length < (listed.erased + listed.stayed) / listed.atOnce) {
      made.push(await newListed(running, adminToken));
    }
    for (const { change } of [...made, ...made.toReversed()]) await change();
    return made.map(({ person }) => person);
  });
  const doing = several(living.erased + living.stayed, (index) =>
    newPerson(running, post, index === 0 || index === living.erased),
  );
  const [lively, others] = await Promise.all([doing, listing.then((made) => made.flat())]);
  const kinds = new Set(tracesInRows(folder, lively).map((trace) => trace.split(' ')[0]));
  const missing = Object.keys(lively[0]?.details ?? {}).filter((kind) => !kinds.has(kind));
  if (missing.length > 0) throw new Error(`before an erasure no row holds ${missing.join(', ')}`);
  return {
    leaving: [...lively.slice(0, living.erased), ...others.slice(listed.stayed)],
    staying: [...others.slice(0, listed.stayed), ...lively.slice(living.erased)],
  };
}
