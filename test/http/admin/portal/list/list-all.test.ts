import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { actedAtOnce } from '../../../../../src/core/operators/limits.ts';
import { insertMembers } from '../../../../../src/storage/members/member.ts';
import { memberOf } from '../../../../support/fixtures.ts';
import type { Answer } from '../../../../support/http.ts';
import { run } from '../../../../support/operators/desk.ts';
import { filledIn, mainOf, newAdmin, type PortalVisitor } from '../../../../support/operators/portal.ts';
import { beginWorld, type World } from '../../../../support/operators/world.ts';
import { useService } from '../../../../support/use-service.ts';

const service = useService({ data: 'security' });
let browser: PortalVisitor;
let world: World;
let path: string;
let made = 0;

beforeAll(async () => {
  world = await beginWorld(service, 'all.test');
  browser = await newAdmin(service, world.host, 'sam@all.test', 'system_admin');
  path = `/admin/tenants/${world.host}/members?search=crowd`;
});
beforeEach(() => addMembers(25));

/** Adds members whom a search finds, on more than one page of the list. */
async function addMembers(count: number): Promise<void> {
  const { tenantId } = world;
  const now = service.clock.now();
  const added = Array.from({ length: count }, (_, index) => {
    const number = made + index;
    const member = memberOf(tenantId, `crowd${number}@all.test`, 10_000 + number, now);
    const named = { ...member, fullName: `Crowd ${number}` };
    return { member: named, passwordHash: 'of no password', passwordSince: now };
  });
  await service.store.transaction((tx) => insertMembers(tx, added));
  made += count;
}

/** Chooses all that match an address, and one act of the list. */
async function chooseAll(address: string, act: string): Promise<Answer> {
  const token = String(filledIn(await browser.send(address)).get('token'));
  return browser.send(address, { body: new URLSearchParams({ token, act, all: 'yes' }) });
}

const disabledNow = async () =>
  (
    await run<{ members: readonly object[] }>(service, 'members.list', {
      tenant: world.host,
      status: 'disabled',
      limit: 200,
    })
  ).members.length;

describe('pages 21: all entries that match, on every page of a list', () => {
  it('are taken by one act, after a question that counts them, and no others', async () => {
    const asked = await chooseAll(path, 'members.disable');
    expect(mainOf(asked)).toContain(`<h1>Disable ${made} members?</h1>`);
    expect(mainOf(asked)).toContain(`… and ${made - 20} more.`);
    expect(await disabledNow()).toBe(0);
    const done = await browser.send(path, { body: filledIn(asked) });
    expect([done.status, done.headers.location]).toEqual([303, path]);
    expect(mainOf(await browser.send(path))).toContain(`${made} members disabled.`);
    expect(await disabledNow()).toBe(made);
    expect(mainOf(await browser.send(path, { body: filledIn(asked) }))).toContain('You sent this already');
  });

  it('are asked about even where each alone would not be', async () => {
    const asked = await chooseAll(path, 'members.enable');
    expect(mainOf(asked)).toContain(`<h1>Enable ${made} members?</h1>`);
    const before = await disabledNow();
    expect((await browser.send(path, { body: filledIn(asked) })).status).toBe(303);
    expect([before > 0, await disabledNow()]).toEqual([true, 0]);
  });

  it('are asked about again if others match by then', async () => {
    const asked = await chooseAll(path, 'members.disable');
    await addMembers(1);
    const again = await browser.send(path, { body: filledIn(asked) });
    expect([again.status, await disabledNow()]).toEqual([422, 0]);
    expect(mainOf(again)).toContain(`<h1>Disable ${made} members?</h1>`);
    expect(mainOf(again)).toContain('The list has changed since you saw it.');
    expect((await browser.send(path, { body: filledIn(again) })).status).toBe(303);
    expect(await disabledNow()).toBe(made);
    await browser.send(path, { body: filledIn(await chooseAll(path, 'members.enable')) });
  });

  it('are as many as are taken at once, and the page says so', async () => {
    expect(mainOf(await browser.send(path))).toContain(`on every page (up to ${actedAtOnce} at once)`);
    await addMembers(actedAtOnce + 1 - made);
    const asked = await chooseAll(path, 'members.signOutEverywhere');
    expect(mainOf(asked)).toContain(`(${actedAtOnce})?</h1>`);
    expect(mainOf(asked)).toContain(`More than ${actedAtOnce} match.`);
    expect(asked.text.length).toBeLessThan(60_000);
  });

  it('are not offered where one page has all of them', async () => {
    expect((await browser.send(`${path}0`)).text).not.toContain('name="all"');
  });

  it('are none where nothing matches any more', async () => {
    const none = await chooseAll(path, 'members.disable').then((asked) =>
      browser.send(`${path}-nobody`, { body: filledIn(asked) }),
    );
    expect([none.status, mainOf(none).includes('Select at least one entry.')]).toEqual([422, true]);
  });
});
