import { beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../../../../src/operations/admin/index.ts';
import { run } from '../../../../support/operators/desk.ts';
import {
  asForm,
  filledIn,
  mainOf,
  newAdmin,
  type PortalVisitor,
} from '../../../../support/operators/portal.ts';
import { act, inputFor, nameTyped, openForm } from '../../../../support/operators/portal-forms.ts';
import {
  beginWorld,
  newClient,
  newMember,
  newSession,
  newSubscription,
  type World,
} from '../../../../support/operators/world.ts';
import { allRows } from '../../../../support/records/rows.ts';
import { useService } from '../../../../support/use-service.ts';

const service = useService({ data: 'nothing' });
let world: World;
let sam: PortalVisitor;
let home: string;

beforeAll(async () => {
  const own = await beginWorld(service, 'home.test');
  sam = await newAdmin(service, own.host, 'sam@example.test', 'system_admin');
  world = await beginWorld(service, 'grave.test');
  home = `/admin/tenants/${world.host}`;
});

const grave = operations
  .filter(({ portal }) => portal?.ends === 'forGood')
  .map((operation) => ({ name: operation.name, operation }));
const rows = () => allRows(service, ['auditEvents', 'sessions']);
const button = (page: string) =>
  /role="status">\s*<p>[^<]*<\/p>\s*<form method="post" action="([^"]*)">([\s\S]*?)<\/form>/.exec(page);

/** Presses "Undo" on the page that a form led to. */
async function undo(location: string): Promise<string> {
  const page = (await sam.send(location)).text;
  const [, action = '', fields = ''] = button(page) ?? [];
  const body = new URLSearchParams(
    [...fields.matchAll(/name="([^"]*)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, value] as [string, string],
    ),
  );
  const answer = await sam.send(action, { body });
  expect(answer.status, answer.text).toBe(303);
  return String(answer.headers.location);
}

describe('pages 22: what cannot be undone says what it ends, and asks for its name', () => {
  it('there is such', () => {
    expect(grave.length).toBeGreaterThan(8);
  });

  it.each(grave)('$name', async ({ operation }) => {
    const input = await inputFor(world, operation);
    const { path, page } = await openForm(sam, operation, input);
    const { typed } = nameTyped(page);
    expect(typed).toBeTruthy();
    expect(mainOf(page)).toMatch(/class="warning">[^<]{20,}/);
    const before = await rows();
    for (const wrong of [{}, { typed: '' }, { typed: `${typed} no` }]) {
      const body = filledIn(page, { ...asForm(operation, page, input), ...wrong });
      if (!('typed' in wrong)) body.delete('typed');
      const answer = await sam.send(path, { body });
      expect(answer.status).toBe('typed' in wrong ? 422 : 200);
      expect(await rows()).toEqual(before);
    }
  });

  it('a member with numbers: so many subscriptions, and so many devices', async () => {
    await newSubscription(world);
    await newSession(world);
    const { text } = await sam.send(`${home}/members/${world.memberId}/+delete`);
    expect(text).toContain(
      'This deletes Ada Berg, ada@example.test, with 1 subscription and 2 signed-in devices.',
    );
  });

  it('a name is typed as people type: spaces and capitals do not matter', async () => {
    const { id } = await world.operate('members.create', {
      fullName: 'Åse  Ærlig',
      email: 'aase@example.test',
    });
    const form = `${home}/members/${id}/+delete`;
    const answer = await sam.submit(form, { typed: ' åse ærlig ' });
    expect(answer.headers.location).toBe(`${home}/members`);
  });

  it('pages 21: a browser is signed out by what it is, where its id stood', async () => {
    const { sessionId } = await newSession(world);
    const userAgent =
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0';
    await service.store.transaction((tx) =>
      tx.updateTable('sessions').set({ userAgent }).where('id', '=', sessionId).execute(),
    );
    const form = `${home}/members/${world.memberId}/sessions/${sessionId}/+end-session`;
    expect(mainOf(await sam.send(form))).toContain('<h1>Sign out <bdi>Chrome on Linux</bdi></h1>');
    const done = await sam.submit(form, {});
    expect(mainOf(await sam.send(String(done.headers.location)))).toContain('The browser is signed out.');
  });

  it('ending a subscription by its button asks first, for the name of the package', async () => {
    const subscriptionId = await newSubscription(world);
    const form = `${home}/subscriptions/${subscriptionId}/+change?memberId=${world.memberId}`;
    const asked = await sam.submit(form, { change: 'end' });
    expect(mainOf(asked)).toContain('<h1>End Gold now?</h1>');
    expect(mainOf(asked)).not.toContain('class="lead"');
    expect(mainOf(asked)).toContain('This ends the subscription to Gold now');
    const wrong = await sam.send(form, { body: filledIn(asked, { typed: 'Silver' }) });
    expect(wrong.status).toBe(422);
    const done = await sam.send(form, { body: filledIn(wrong, { typed: 'Gold' }) });
    expect(done.status).toBe(303);
    const page = mainOf(await sam.send(String(done.headers.location)));
    expect(page).toContain('<p>Gold ended.</p>');
    expect(page.replaceAll(/<[^>]*>/g, '')).toMatch(/ended the subscription of .* to Gold/);
  });
});

describe('pages 22: what can be undone has "Undo" on the next page', () => {
  it.each([
    ['members', newMember],
    ['clients', newClient],
  ] as const)('%s: disabled, undone, and done again by undoing that', async (noun, make) => {
    const id = await make(world);
    const key = noun === 'members' ? 'memberId' : 'clientId';
    const read = async () => {
      const { status, disabledAt } = await run(service, `${noun}.read`, { tenant: world.host, [key]: id });
      return status === 'disabled' || typeof disabledAt === 'string';
    };
    const operation = operations.find(({ name }) => name === `${noun}.disable`);
    if (operation === undefined) throw new Error('an operation is missing');
    const done = await act(sam, operation, { tenant: world.host, [key]: id });
    expect(await read()).toBe(true);
    const next = await undo(String(done.headers.location));
    expect(await read()).toBe(false);
    // Disabling a client signs its members out, so that asks first.
    expect(button((await sam.send(next)).text)?.[1]).toContain('/+disable');
  });

  it('a cancelled renewal is resumed; what cannot be taken back offers nothing', async () => {
    const subscriptionId = await newSubscription(world);
    const form = `${home}/subscriptions/${subscriptionId}/+change?memberId=${world.memberId}`;
    const state = async () => {
      const found = await run<{ subscriptions: readonly { subscriptionId: number; state: string }[] }>(
        service,
        'subscriptions.list',
        { tenant: world.host, memberId: world.memberId, subscriptionId },
      );
      return found.subscriptions[0]?.state;
    };
    const cancelled = await sam.submit(form, { change: 'cancel' });
    expect(await state()).toBe('cancelled');
    await undo(String(cancelled.headers.location));
    expect(await state()).toBe('active');
    const renewed = await sam.submit(form, { change: 'renew' });
    expect(button((await sam.send(String(renewed.headers.location))).text)).toBeNull();
  });

  it('the next page says what changed, and of what', async () => {
    const clientId = await newClient(world);
    const form = `${home}/clients/${clientId}/+change`;
    const told = async (values: Readonly<Record<string, string>>) => {
      const { headers } = await sam.submit(form, values);
      return /role="status">\s*<p>([^<]*)<\/p>/.exec((await sam.send(String(headers.location))).text)?.[1];
    };
    expect(await told({ redirectUris: 'https://new.example.com/cb' })).toBe(
      `The ${clientId}: redirect URIs changed.`,
    );
    expect(await told({})).toBe(`The ${clientId}: nothing changed.`);
    expect(await told({ name: 'A <b>bold</b> name' })).toBe('A &lt;b&gt;bold&lt;/b&gt; name: name changed.');
  });

  it('a forged cookie says and offers nothing that the table does not have', async () => {
    const page = `${home}/members/${world.memberId}`;
    for (const made of [
      'nothing.at.all',
      'members.delete?name=x&in.memberId=1',
      'members.read?name=x',
      '?<b>',
    ]) {
      const cookie = `memberdoor-done=${encodeURIComponent(`${made} ${page}`)}`;
      const { text } = await sam.send(page, { headers: { cookie } });
      expect(text).not.toContain('Undo');
      expect(text).not.toContain('<b>');
    }
  });
});
