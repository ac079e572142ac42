// The pages of the rehearsal room, and how a developer comes to see each.
import type { View } from '../browser.ts';
import type { Site } from '../site.ts';
import type { Walk, Way } from '../way.ts';

/** Presses a button of the room, and waits until the page has what that did. */
export async function press({ page }: View, name: string): Promise<void> {
  const done = page.waitForResponse(
    (answer) => answer.request().method() === 'POST' && answer.url().includes('/rehearsal/'),
  );
  await page.getByRole('button', { name, exact: true }).click();
  await (await done).finished().catch(() => {});
}

/** The page on the phone of the room. */
export const onPhone = ({ page }: View) => page.frameLocator('#page');

export function rehearsalWalk(site: Site): Walk {
  const open = async ({ page }: View, path = '') => page.goto(`${site.issuer}/rehearsal${path}`);
  /** What the room of the last page left is taken away. */
  const begin = async (view: View) => {
    const { page } = view;
    await page.request.post(`${site.issuer}/rehearsal/tv`, { data: { do: 'off' } });
    await page.request.delete(`${site.issuer}/rehearsal/faults`);
    await open(view);
  };
  const way = (go: (view: View) => Promise<unknown>): Way => ({
    email: null,
    go: async (view) => {
      await begin(view);
      await go(view);
    },
  });
  const ask = async (view: View) => {
    await press(view, 'Turn on the TV');
    await view.page.getByText('Go to').waitFor();
  };
  const hold = async (view: View) => {
    await ask(view);
    await press(view, 'Be Ada');
    await onPhone(view).getByRole('button', { name: 'Approve' }).waitFor();
  };
  const signIn = async (view: View) => {
    await hold(view);
    await onPhone(view).getByRole('button', { name: 'Approve' }).click();
    await onPhone(view).getByText('Living room').first().waitFor();
    await press(view, 'Poll now (too early)');
    await view.page.getByText('Welcome').waitFor();
  };
  return {
    prepare: async () => {},
    ways: {
      'TV, off': way(async () => {}),
      'TV, with its code': way(ask),
      'TV, with a phone': way(hold),
      'TV, signed in': way(signIn),
      'TV, after a mishap': way(async (view) => {
        await ask(view);
        await press(view, 'Two polls at once');
        await press(view, '429');
        await view.page.getByText('Waiting:').waitFor();
      }),
      'report cards': way(async (view) => {
        await ask(view);
        await open(view, '/card');
        await view.page.getByRole('link', { name: 'tv', exact: true }).waitFor();
      }),
      'the report card of a client': way(async (view) => {
        await ask(view);
        await press(view, 'Poll now (too early)');
        await view.page.getByRole('link', { name: /^Report card of tv: \d+ of 12$/ }).click();
        await view.page.getByRole('heading', { name: /^Waits the interval .* broken$/ }).waitFor();
        await press(view, 'Change its next state');
      }),
      'web flow': way(async (view) => {
        await open(view, '/web');
        await press(view, 'Begin a new sign-in');
        await view.page.getByRole('link', { name: 'Go to the sign-in page' }).waitFor();
      }),
      'web flow, with tokens': way(async (view) => {
        await signInOnWeb(view, site);
        await press(view, 'Refresh');
        await view.page.getByRole('button', { name: 'Send the old refresh token' }).waitFor();
      }),
    },
  };
}

/** Goes the web flow of the room until its client has tokens. */
async function signInOnWeb(view: View, site: Site): Promise<void> {
  const { page } = view;
  await page.goto(`${site.issuer}/rehearsal/web`);
  await press(view, 'Begin a new sign-in');
  await page.getByRole('link', { name: 'Go to the sign-in page' }).click();
  await page.waitForURL(/sign-in|rehearsal\/web#back/);
  if (!page.url().includes('/rehearsal/')) {
    await page.fill('#email', 'ada@example.com');
    await page.fill('#password', 'memberdoor-development');
    await page.click('button.primary');
  }
  await page.waitForURL(/rehearsal\/web#back/);
  await press(view, 'Exchange the code');
  await page.getByRole('button', { name: 'Ask for the profile' }).waitFor();
}
