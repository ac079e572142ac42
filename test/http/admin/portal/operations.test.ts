import { beforeAll, describe, expect, it } from 'vitest';
import { addressOf, isPage, routesOf, takesForm } from '../../../../src/http/admin/portal/addresses.ts';
import { operations } from '../../../../src/operations/admin/index.ts';
import type { Operation } from '../../../../src/operations/admin/operation.ts';
import { pagesOf } from '../../../../src/operations/admin/portal-face.ts';
import type { Answer } from '../../../support/http.ts';
import { auditEvents, lastAuditEvent } from '../../../support/operators/api.ts';
import { run } from '../../../support/operators/desk.ts';
import { newAdmin, type PortalVisitor, plain } from '../../../support/operators/portal.ts';
import { act, inputFor, readAddress } from '../../../support/operators/portal-forms.ts';
import { beginWorld, type World } from '../../../support/operators/world.ts';
import { allRows, rowAsText } from '../../../support/records/rows.ts';
import { useService } from '../../../support/use-service.ts';

const service = useService({ data: 'nothing' });
let browser: PortalVisitor;
/** One tenant for the operator, and one for the portal: the same happens on both. */
let byHand: World;
let inPortal: World;
/** Every link that was seen on the pages on the way. */
const links = new Set<string>();

beforeAll(async () => {
  const home = await beginWorld(service, 'home.test');
  browser = await newAdmin(service, home.host, 'sam@example.test', 'system_admin');
  [byHand, inPortal] = [await beginWorld(service, 'one.test'), await beginWorld(service, 'two.test')];
});

const named = operations.map((operation) => ({ name: operation.name, operation }));

/** What came into the database and what went, as texts without what differs from tenant to tenant. */
async function changedBy(work: () => Promise<unknown>): Promise<readonly string[]> {
  const lines = async () => {
    const tables = await allRows(service, ['auditEvents', 'memberWords']);
    return Object.entries(tables).flatMap(([table, rows]) =>
      // The browser's own session is used meanwhile.
      rows
        .filter((row) => table !== 'sessions' || (row as { kind: string }).kind === 'member')
        .map((row) => `${table} ${rowAsText(row)}`),
    );
  };
  const before = new Set(await lines());
  await work();
  const after = new Set(await lines());
  return [
    ...[...after].filter((line) => !before.has(line)).map((line) => `+ ${anywhere(line)}`),
    ...[...before].filter((line) => !after.has(line)).map((line) => `- ${anywhere(line)}`),
  ].sort();
}

function anywhere(line: string): string {
  return (
    line
      .replaceAll(/\b(?:one|two)\.test\b/g, 'HOST')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
      .replaceAll(/"(?:id|number|packageId|productId|seq|subscriptionId)":\d+/g, 'NUMBER')
      .replaceAll(/"(?:subject|detail)":"\d+"/g, 'NUMBER')
      .replaceAll(/"bytes [\w+/=]*"/g, 'BYTES')
      .replaceAll(/"(?:publicJwk|kid)":"(?:[^"\\]|\\.)*"/g, 'KEY')
      // The operator stands behind no token.
      .replaceAll(/"makerId":(?:null|"ID")/g, 'MAKER')
      .replaceAll(/"actorKind":"\w+","actorId":(?:null|"ID"),"actorAddress":"[\d.]+"/g, 'ACTOR')
      .replaceAll(/\b17\d{11}\b/g, 'NOW')
      .replaceAll(/2026-01-15T[\d:.]+Z/g, 'NOW')
      .replaceAll(/\$argon2id[^"]*/g, 'HASH')
      .replaceAll(/[A-Za-z0-9_-]{43}/g, 'RANDOM')
  );
}

describe('an operation does the same in the portal', () => {
  const acting = named.filter(({ operation }) => operation.acts);

  it.each(acting)('$name: the same rows, and one line of the audit', async ({ name, operation }) => {
    const first = await inputFor(byHand, operation);
    const second = await inputFor(inPortal, operation);
    const expected = await changedBy(() => run(service, name, first));
    const before = await lastAuditEvent(service);
    let answer: Answer | undefined;
    const changed = await changedBy(async () => {
      answer = await act(browser, operation, second);
    });
    const shown = plain(answer?.text ?? '').replace(/[\s\S]*<main/, '');
    expect([200, 303], shown).toContain(answer?.status);
    expect(changed).toEqual(expected);
    const events = await auditEvents(service, before);
    expect(events.filter(({ event }) => event === 'admin_acted')).toMatchObject([
      { event: 'admin_acted', actorKind: 'admin', reason: name, result: 'done', address: '127.0.0.1' },
    ]);
    if (answer?.status === 303) {
      const landed = await browser.send(String(answer.headers.location));
      expect(landed.status).toBe(200);
      expect(landed.text).toContain('role="status"');
    } else {
      expect(shown).toMatch(/Copy this secret now|Nothing to do\./);
    }
  });

  const reading = named.filter(({ operation }) => !takesForm(operation));

  it.each(reading)('$name: a page, or the same file', async ({ name, operation }) => {
    const input = await inputFor(inPortal, operation);
    const answer = await run<Readonly<Record<string, unknown>>>(service, name, input);
    const page = await browser.send(readAddress(operation, input));
    expect(page.status, page.text).toBe(200);
    if (operation.mediaType !== undefined) {
      expect(untimed(page.text)).toBe(untimed(String(answer.text)));
      expect(page.headers['content-disposition']).toMatch(
        /^attachment; filename="[a-z-]+-(?:export|refusals)(?:-data)?\.(?:csv|json|jsonl|yaml)"$/,
      );
      return;
    }
    for (const text of namesIn(answer)) expect(plain(page.text)).toContain(text);
  });
});

/** A file without when it was written. */
const untimed = (text: string) => text.replace(/"exportedAt": "[^"]*"/, '');

/** The names and ids that an answer is about: its own, or those of the entries of its list. */
function namesIn(answer: Readonly<Record<string, unknown>>): readonly string[] {
  const lists = Object.values(answer).filter((value) => Array.isArray(value));
  const things = lists.length === 1 ? (lists[0] as readonly Readonly<Record<string, unknown>>[]) : [answer];
  const found = things.flatMap(({ name, fullName, clientId, kid, key, host, packageName }) =>
    [name, fullName, clientId, kid, key, host, packageName].filter((one) => typeof one === 'string'),
  );
  return found.slice(0, 20);
}

describe('an operation says what the portal needs to know', () => {
  const byName = new Map(named.map(({ name, operation }) => [name, operation]));

  it.each(named)('$name: the operations that it names are in the table', ({ operation }) => {
    const { list, parts = {}, reads, lands, choices = {}, doneBy } = operation.portal ?? {};
    const others = [
      ...pagesOf(operation),
      ...Object.values(choices),
      ...Object.values(parts).map((part) => part.list),
      ...[list?.opens, reads, lands, doneBy],
    ].filter((one) => one !== undefined);
    expect(others.filter((one) => !byName.has(one))).toEqual([]);
    for (const one of Object.values(choices)) expect(byName.get(one)?.portal?.list?.entry).toBeDefined();
    // A page shows; what takes a form, or is a file, stands on one.
    for (const one of pagesOf(operation)) expect(byName.get(one)).toSatisfy(isPage);
    expect(pagesOf(operation).length > 0).toBe(!isPage(operation));
  });

  it.each(named)('$name: its fields and columns are those of its schemas', ({ operation }) => {
    const { list, parts = {}, choices = {}, readsAs = {}, endsIf = {} } = operation.portal ?? {};
    const fields = Object.keys(operation.input.properties);
    const said = [choices, readsAs, endsIf].flatMap((one) => Object.keys(one));
    expect(said.filter((one) => !fields.includes(one))).toEqual([]);
    const { properties } = operation.output as ListSchema;
    if (list !== undefined) {
      const [items] = Object.values(properties ?? {}).flatMap((one) => one.items ?? []);
      const known = Object.keys(items?.properties ?? {});
      const shown = [...(list.columns ?? []), ...(list.entry === undefined ? [] : [list.entry.key])];
      expect(shown.filter((one) => !known.includes(one))).toEqual([]);
    }
    for (const [name, { columns = [], entry }] of Object.entries(parts)) {
      const known = Object.keys(properties?.[name]?.items?.properties ?? {});
      const shown = [...columns, ...(entry === undefined ? [] : [entry.key])];
      expect(shown.filter((one) => !known.includes(one))).toEqual([]);
    }
  });
});

interface ListSchema {
  readonly properties?: Readonly<Record<string, { readonly items?: { readonly properties?: object } }>>;
}

describe('the portal is walked by links alone', () => {
  it('every operation is on some page that the first one leads to', async () => {
    for (const { name, operation } of named) {
      // A world that has one of everything; what ends things would take it away again.
      if (!/delete|retire|disable|revoke|removeSecret|end/.test(name)) await inputFor(inPortal, operation);
    }
    await run(service, 'tenants.enable', { tenant: inPortal.host });
    const wanted = new Map(named.map(({ name, operation }) => [name, patternOf(operation)]));
    const waiting = ['/admin', `/admin/tenants/${inPortal.host}`];
    while (waiting.length > 0 && wanted.size > 0) {
      const path = waiting.shift() ?? '';
      const page = await browser.send(path);
      if (page.status === 303) waiting.push(String(page.headers.location));
      const isNew = (link: string) => link.startsWith('/admin') && !links.has(link);
      // What is done at once has a button, and the search a box.
      const found = [...page.text.matchAll(/<(a|form)[^>]* (?:href|action)="([^"]*)"/g)];
      for (const [, element, href = ''] of found.filter((link) => isNew(withoutPlace(link[2] ?? '')))) {
        const link = withoutPlace(href);
        links.add(link);
        for (const [name, pattern] of wanted) if (pattern.test(link)) wanted.delete(name);
        // Forms lead nowhere else, a part of a page has no more than the whole, and another tenant has the same pages.
        const isOwn = link.includes(inPortal.host) || !link.includes('/tenants/');
        if (element === 'a' && isOwn && !/\/\+|[?&]part=/.test(link)) waiting.push(link);
      }
    }
    // A disabled thing offers to be enabled, a locked member to be unlocked, refused mails to be sent again; the first
    // page is the overview itself.
    for (const name of [
      'tenants.enable',
      'clients.enable',
      'members.enable',
      'members.unlock',
      'mails.retry',
      'overview.read',
      'members.cancelDeletion',
    ])
      wanted.delete(name);
    // What it counts stands in the rail, and above lists.
    wanted.delete('counts.read');
    // What programs follow, people read in the audit.
    wanted.delete('events.list');
    wanted.delete('channels.openFor');
    wanted.delete('subscriptions.changeProperties');
    expect([...wanted.keys()]).toEqual([]);
  });

  it('pages 7: every form that a page offers is there', async () => {
    const forms = [...links].filter((link) => link.includes('/+') && link.includes(inPortal.host));
    const missing: string[] = [];
    for (const link of forms) if ((await browser.send(link)).status !== 200) missing.push(link);
    expect(forms.length).toBeGreaterThan(40);
    expect(missing).toEqual([]);
  });

  it.each(['clients', 'members'])('%s: what is disabled can be enabled again on its page', async (noun) => {
    const read = operations.find(({ name }) => name === `${noun}.read`);
    const disable = operations.find(({ name }) => name === `${noun}.disable`);
    if (read === undefined || disable === undefined) throw new Error('an operation is missing');
    const input = await inputFor(inPortal, disable);
    const path = String(addressOf(read, input));
    expect((await browser.send(path)).text).not.toContain('/+enable"');
    expect((await browser.send(path)).text).toContain('/+disable"');
    await act(browser, disable, input);
    expect((await browser.send(path)).text).toContain('/+enable"');
    expect((await browser.send(path)).text).not.toContain('/+disable"');
  });
});

/** A link without the place on its page. */
const withoutPlace = (href: string) => plain(href).replace(/#.*/, '');

/** What the link to an operation looks like, whatever its path names; something new has no id yet. */
function patternOf(operation: Operation): RegExp {
  const route = String(routesOf(operation)[0]).replaceAll('+', '\\+').replaceAll(/:\w+/g, '[^/?]+');
  return new RegExp(`^${route}(?:\\?.*)?$`);
}
