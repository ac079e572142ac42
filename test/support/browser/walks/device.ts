// The device pages, and how a signed-in member comes to see each.
import type { View } from '../browser.ts';
import { send } from '../forms.ts';
import { registerClients, type Site } from '../site.ts';
import { type Television, television } from '../television.ts';
import type { Walk, Way, Ways } from '../way.ts';

export const living = { device_name: 'Living room', device_model: 'Telly 9' };
const hostile = {
  device_name: '<b>Approve now</b> {{7*7}} <%= 1 %> '.padEnd(64, 'W'),
  device_model: `"><img src=x onerror=alert(1)> ${'\u0643\u062a\u0627\u0628 '.repeat(6)}`,
};
/** Reads German, whose words are the longest. */
const longMember = 'a.very.long.address.that.still.is.an.address@subdomain.of.a.long.domain.example.com';

export const member = 'ida@example.com';

async function openApprove({ page }: View, from: Television, more: Record<string, string>): Promise<void> {
  await page.goto((await from.requestCode(more)).verification_uri_complete);
}

/** @returns the walk, and a TV of the app whose pages it shows */
export function deviceWalk(site: Site): Walk & { readonly tv: () => Television } {
  let tv: Television;
  /** The same app under a name that no line can hold. */
  let longTv: Television;

  const prepare = async () => {
    const app = { type: 'public', deviceFlow: true } as const;
    await registerClients(site.service, [
      { ...app, clientId: 'play', name: 'Acme Play' },
      { ...app, clientId: 'play-long', name: `The ${'very'.repeat(11)} Long Name` },
    ]);
    [tv, longTv] = [await television(site.issuer, 'play'), await television(site.issuer, 'play-long')];
  };

  /** Presses the other button of an approve page that was left open in another tab. */
  async function pressAgain({ page }: View, verdict: string, confirm: string): Promise<void> {
    await page.goto(`${site.issuer}/device`);
    const fields = `<input name="confirm" value="${confirm}"><input name="verdict" value="${verdict}">`;
    await page.evaluate(`(() => {
    document.body.insertAdjacentHTML('beforeend', '<form method="post" action="/device/approve">${fields}</form>');
    document.querySelector('form[action="/device/approve"]').submit();
  })()`);
    await page.waitForURL('**/device/*?decided=*');
  }

  const approve: Way = { email: member, go: (view) => openApprove(view, tv, living) };

  /** Each device page, and how a signed-in member comes to see it. */
  const ways: Ways = {
    entry: { email: member, go: ({ page }) => page.goto(`${site.issuer}/device`) },
    'entry with an error': {
      email: member,
      go: async ({ page }) => {
        await page.goto(`${site.issuer}/device`);
        await send(page, { '#user_code': '12345' });
      },
    },
    approve,
    'approve, a device that says nothing': { email: member, go: (view) => openApprove(view, tv, {}) },
    'approve, long and hostile names': {
      email: longMember,
      go: (view) => openApprove(view, longTv, hostile),
    },
    approved: {
      email: member,
      go: async (view) => {
        await approve.go(view);
        await send(view.page, {}, 'button[value=approve]');
      },
    },
    rejected: {
      email: member,
      go: async (view) => {
        await approve.go(view);
        await send(view.page, {}, 'button[value=reject]');
      },
    },
    'approved, then rejected in another tab': {
      email: member,
      go: async (view) => {
        await approve.go(view);
        const confirm = await view.page.evaluate<string>(
          'document.querySelector("input[name=confirm]").value',
        );
        await send(view.page, {}, 'button[value=approve]');
        await view.page.waitForURL('**/device/approved?*');
        await pressAgain(view, 'reject', confirm);
      },
    },
    'rejected, then approved in another tab': {
      email: member,
      go: async (view) => {
        await approve.go(view);
        const confirm = await view.page.evaluate<string>(
          'document.querySelector("input[name=confirm]").value',
        );
        await send(view.page, {}, 'button[value=reject]');
        await view.page.waitForURL('**/device/rejected?*');
        await pressAgain(view, 'approve', confirm);
      },
    },
    'approved, then signed out': {
      email: longMember,
      go: async (view) => {
        await openApprove(view, longTv, hostile);
        await send(view.page, {}, 'button[value=approve]');
        await view.page.waitForURL('**/device/approved?*');
        await send(view.page, {}, 'form[action="/device/sign-out"] button');
        await view.page.waitForURL('**/device/approved?*');
      },
    },
    'error: too many codes': {
      email: 'tina@example.com',
      go: async ({ page }) => {
        for (let guess = 0; guess < 6; guess += 1) {
          await page.goto(`${site.issuer}/device?user_code=00000${guess}`);
        }
      },
    },
    'error: no device flow here': {
      email: member,
      go: ({ page }) => page.goto(`http://initech.localhost:${site.service.port}/device`),
    },
  };
  return { prepare, ways, tv: () => tv };
}
