import { beforeAll, describe, expect, it } from 'vitest';
import { rowsWith } from '../../../../src/storage/rows.ts';
import { hosts } from '../../../support/fixtures.ts';
import {
  askedForCode,
  askForCode,
  codeTo,
  setEmailCodes,
  typeCode,
} from '../../../support/members/email-code.ts';
import { addMember } from '../../../support/members/recover.ts';
import { allRows } from '../../../support/records/rows.ts';
import { useService } from '../../../support/use-service.ts';
import { field, visitor, withoutSeals } from '../../../support/visitor.ts';

const service = useService({ data: 'security' });
const minute = 60_000;
const host = hosts.a;

beforeAll(() => setEmailCodes(service, host, 'beside'));

const codesTo = (email: string) =>
  service.outbox.sent.filter(({ to, name }) => to === email && name === 'signInCode');

const sessionsOf = (memberId: string) =>
  service.store.transaction((tx) => rowsWith(tx, 'sessions', { memberId }).execute());

/** A member who asked for a code in a browser of her own, on the page that takes it. */
async function asked(options: Parameters<typeof askForCode>[2] = {}) {
  const member = await addMember(service, host);
  const browser = visitor(service, host);
  return { member, browser, ...(await askedForCode(service, browser, member.email, options)) };
}

describe('the mail of a code', () => {
  it('EC5: pages 20: a new code ends the one before, which is not sent again within a minute', async () => {
    const { member, browser, page, code } = await asked();
    const again = { body: { flow: field(page, 'flow'), action: 'again' } };
    await browser.send('/sign-in/code', again);
    await service.delivered();
    expect(codesTo(member.email)).toHaveLength(1);
    service.clock.advance(minute);
    const next = await browser.send('/sign-in/code', again);
    const newer = await browser.send(String(next.headers.location));
    expect((await typeCode(browser, page, code)).status).toBe(410);
    expect((await typeCode(browser, newer, await codeTo(service, member.email))).status).toBe(303);
  });

  it('EC8: U2: nothing signs in by being opened: no link is mailed, and digits in an address are not read', async () => {
    const { member, browser, page, code } = await asked();
    const mail = codesTo(member.email).at(-1);
    expect(`${mail?.text}${mail?.html}`).not.toMatch(/https?:\/\/a\.test/);
    const query = `/sign-in/code?flow=${field(page, 'flow')}&code=${code.replace(' ', '')}`;
    expect((await browser.send(query)).status).toBe(200);
    expect(await sessionsOf(member.id)).toEqual([]);
  });

  it('EC12: the mail tells the app, the browser and the place, in words of ours and on a line each', async () => {
    const headers = {
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    };
    const { member } = await asked({ headers });
    const named = codesTo(member.email).at(-1)?.text ?? '';
    expect(named).toContain('App: Public One\n');
    expect(named).toContain('Browser: Firefox on Linux\n');
    expect(named).toContain('Place: 127.0.0.1\n');
    expect(named).toContain('Never share this code with anyone.');
    const hostile = await asked({
      headers: { 'user-agent': 'Call +47 555 https://evil.test Your code: 111 111' },
    });
    const text = codesTo(hostile.member.email).at(-1)?.text ?? '';
    expect(text).not.toMatch(/evil|555|111 111/);
  });

  it('EC14: F6: a browser has five mails an hour sent to one address, and none is claimed then, account or not', async () => {
    const said = [];
    for (const email of [(await addMember(service, host)).email, 'r0@example.test']) {
      const browser = visitor(service, host);
      for (let index = 0; index < 5; index += 1) {
        expect((await askForCode(browser, email)).answer.status).toBe(303);
      }
      const { answer } = await askForCode(browser, email);
      expect(answer.status).toBe(429);
      said.push(withoutSeals(answer.text).replaceAll(/Reference: [\w-]+/g, '#'));
    }
    expect(said[1]).toBe(said[0]);
  });

  it('EC16: W9: stands in no row and in no address', async () => {
    const { code, page } = await asked();
    const digits = code.replace(' ', '');
    const rows = JSON.stringify(await allRows(service));
    expect(rows).not.toContain(`"${digits}"`);
    expect(rows).not.toContain(code);
    expect(field(page, 'flow')).not.toContain(digits);
  });
});
