import { beforeAll, describe, expect, it } from 'vitest';
import { type Room, roomOf } from '../../support/rehearsal/rehearsal.ts';
import { useService } from '../../support/use-service.ts';

const service = useService({ data: 'development' });
let acme: string;
let room: Room;

beforeAll(() => {
  acme = `localhost:${service.port}`;
  room = roomOf(service, acme);
});

const pageOf = async (url: string) => (await service.http(acme, url)).text;

async function signIn(): Promise<void> {
  const { user_code } = (await room.ask('tv', { do: 'on' })).json<{ user_code: string }>();
  await room.ask('device', { user_code, answer: 'approve' });
  await room.ask('tv', { do: 'poll' });
}

/** Every button of a page: the address of its form, and what it sends. */
function buttonsOf(page: string) {
  const attribute = (element: string, name: string) =>
    new RegExp(` ${name}="([^"]*)"`).exec(element)?.[1]?.replaceAll('&amp;', '&');
  return [...page.matchAll(/<form[^>]* method="post"[^>]*>[\s\S]*?<\/form>/g)].flatMap(([form]) => {
    const inputs = form.match(/<input[^>]*>/g) ?? [];
    const fields = inputs.map((input) => [attribute(input, 'name') ?? '', attribute(input, 'value') ?? '']);
    return (form.match(/<button[^>]*>/g) ?? []).map((button) => {
      const own = attribute(button, 'name');
      const sent = own === undefined ? fields : [...fields, [own, attribute(button, 'value') ?? '']];
      return {
        action: attribute(form, 'action') ?? '',
        body: Object.fromEntries(sent) as Record<string, string>,
      };
    });
  });
}

/** The button that takes a snapshot, and the one that resets: PostgreSQL has neither. */
const ofSqlite = process.env.TEST_ENGINE === 'postgres' ? 2 : 0;

describe('every button', () => {
  it.each([
    ['/rehearsal', 'off', () => room.ask('tv', { do: 'off' }), 18],
    ['/rehearsal', 'asking', () => room.ask('tv', { do: 'on' }), 24],
    ['/rehearsal', 'signed in', signIn, 24],
    ['/rehearsal/web', 'begun', () => room.ask('web/do', { do: 'begin' }), 12],
  ])(
    'of %s, %s, is a form that leads back to its page, whatever came before',
    async (url, _, prepare, least) => {
      await prepare();
      const buttons = buttonsOf(await pageOf(url));
      expect(buttons.length).toBeGreaterThanOrEqual(least - ofSqlite);
      for (const { action, body } of buttons) {
        const answer = await service.http(acme, action, { body });
        expect([action, body, answer.status], answer.text).toEqual([action, body, 303]);
        expect(answer.headers.location?.replace(/#.*/, '')).toBe(url);
        expect((await service.http(acme, url)).status).toBe(200);
      }
    },
  );

  it('that asks for what does not go says why on its page, until another is pressed', async () => {
    await room.ask('tv', { do: 'off' });
    await service.http(acme, '/rehearsal/phone/open', { body: { open: 'code' } });
    expect(await pageOf('/rehearsal')).toMatch(/role="status">the TV is off\.</);
    await service.http(acme, '/rehearsal/tv', { body: { do: 'on' } });
    expect(await pageOf('/rehearsal')).not.toContain('role="status"');
  });
});
