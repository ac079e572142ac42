import { beforeAll, describe, expect, it } from 'vitest';
import { refusal, run, tokenOf } from '../../support/operators/desk.ts';
import { useService } from '../../support/use-service.ts';

const service = useService({ data: 'security' });
beforeAll(async () => {
  for (const tenant of ['a.test', 'b.test']) {
    for (const clientId of ['one', 'two', 'three']) {
      await run(service, 'clients.create', { tenant, clientId, name: clientId, type: 'public' });
    }
  }
  await refusal(service, 'clients.read', { tenant: 'a.test', clientId: 'none' });
});

interface Page {
  readonly events: readonly {
    readonly id: number;
    readonly at: string;
    readonly target: string;
    readonly names: object;
  }[];
  readonly next: number | null;
}

const list = (input: object = {}) => run<Page>(service, 'audit.list', { tenant: 'a.test', ...input });
const targets = ({ events }: Page) => events.map(({ target }) => target);

describe('the audit', () => {
  it('lists the events of one tenant, the newest first, in pages', async () => {
    expect(targets(await list())).toEqual(['three', 'two', 'one']);
    const first = await list({ limit: 2 });
    expect(targets(first)).toEqual(['three', 'two']);
    expect(first.next).toBe(first.events[1]?.id);
    const second = await list({ limit: 2, before: first.next });
    expect(targets(second)).toEqual(['one']);
    expect(second.next).toBeNull();
  });

  it('narrows by what is asked for', async () => {
    const [three, two, one] = (await list()).events;
    const times = { from: two?.at, until: three?.at };
    expect(targets(await list(times))).toEqual(['two']);
    expect(targets(await list({ target: 'one' }))).toEqual(['one']);
    expect(targets(await list({ clientId: 'three' }))).toEqual(['three']);
    expect(targets(await list({ event: 'sign_in' }))).toEqual([]);
    expect(targets(await list({ result: 'refused' }))).toEqual([]);
    expect(targets(await list({ actorId: 'nobody' }))).toEqual([]);
    expect(targets(await list({ event: 'admin_acted', until: two?.at }))).toEqual([one?.target]);
  });

  it('of every tenant shows those of all, or of the one that is named', async () => {
    const all = await run<Page>(service, 'serviceAudit.list', {});
    expect(targets(all)).toEqual(['three', 'two', 'one', 'three', 'two', 'one']);
    const ofB = await run<Page>(service, 'serviceAudit.list', { tenant: 'b.test', limit: 1 });
    expect(ofB.events).toEqual(all.events.slice(0, 1));
  });

  it('is exported as JSON lines, the same as in the list without the names, which may be of members who are gone', async () => {
    const { events } = await list({ limit: 2 });
    const { text } = await run<{ text: string }>(service, 'audit.export', { tenant: 'a.test', limit: 2 });
    expect(text.endsWith('\n')).toBe(true);
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(events.map(({ names: _, ...event }) => event));
    const rest = { tenant: 'a.test', before: events[1]?.id };
    expect((await run<{ text: string }>(service, 'serviceAudit.export', rest)).text.split('\n')).toHaveLength(
      2,
    );
  });
});

describe('the audit of a denial', () => {
  const secret = 'q1Z0s5nq3yBkVXvIY0o6nWn0oWf2mJwbcmrkA5uY4xE';
  const uuid = '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a06';
  it.each([
    ['tokens.revoke', { tokenId: `mda_${secret}` }, null],
    ['tokens.revoke', { tokenId: uuid }, uuid],
    ['clients.removeSecret', { clientId: 'one', secretId: secret }, 'one'],
    ['clients.removeSecret', { clientId: 'one', secretId: uuid }, 'one'],
    ['clients.disable', { clientId: secret }, null],
    ['clients.disable', { clientId: `mda_${secret}` }, null],
    ['members.disable', { memberId: 'a password' }, null],
    ['packages.change', { packageId: '4711' }, '4711'],
  ])('A18: %s of %j names only what can be an id', async (name, input, target) => {
    const reader = tokenOf(service, 'a.test', ['tenants:read']);
    const from = service.logLines.length;
    const asked = { tenant: 'a.test', ...input };
    expect(await refusal(service, name, asked, reader)).toMatchObject({ kind: 'denied' });
    const { events } = await run<{ events: readonly object[] }>(service, 'audit.list', {
      tenant: 'a.test',
      limit: 1,
    });
    expect(events[0]).toMatchObject({ event: 'admin_denied', target });
    const lines = service.logLines.slice(from).join('\n');
    expect(`${JSON.stringify(events[0])}${lines}`).not.toContain(secret);
  });
});
