import {
  type Browser,
  type BrowserContext,
  chromium,
  type Page,
  type Request,
  type Response,
} from 'playwright-core';
import { patience } from '../run/patience.ts';
import { unpackedChromium } from './chromium.ts';

/** The sizes that pages are looked at in: a phone, a desk, and the narrowest that WCAG names (1.4.10). */
export const sizes = {
  phone: { width: 390, height: 844 },
  desk: { width: 1280, height: 800 },
  narrow: { width: 320, height: 568 },
} as const;

export interface ViewOptions {
  readonly size?: keyof typeof sizes;
  readonly dark?: boolean;
  /** The browser's language, as in Accept-Language. */
  readonly language?: string;
  readonly javaScript?: boolean;
  /** Where its clock is, such as `Europe/Oslo`. */
  readonly zone?: string;
  /** For what no other view may inherit: scripts and clocks that stay in its pages, and what these store. */
  readonly own?: boolean;
}

/** One page in a browser with nothing in its cookie jar. */
export interface View {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What went wrong while pages were shown: errors of scripts, of the console, of the security policy. */
  readonly problems: readonly string[];
  /** Every address that was asked for over the network, in order. */
  readonly requests: readonly string[];
  /** Every document that was shown, as it was sent. */
  readonly documents: readonly Response[];
  /**
   * Makes the view as good as new, its cookie jar empty and nothing seen: far cheaper than opening another. The page
   * stays until the next one comes, so that the browser keeps its process and what that has compiled.
   */
  renew(): Promise<void>;
  /** Gives the view back: the next that is opened like it takes its place, with nothing in the cookie jar. */
  close(): Promise<void>;
}

export interface TestBrowser {
  open(options?: ViewOptions): Promise<View>;
  /** Closes every view, for the end of a test. */
  closeViews(): Promise<void>;
  close(): Promise<void>;
}

/** A browser that runs, and the pages of views that were given back, by what cannot be changed about them. */
interface Running {
  readonly browser: Browser;
  readonly idle: { readonly kind: string; readonly page: Page }[];
}

/** As many views are kept for the next that are opened: each has a process of its own. */
const mostIdle = 4;

/** A worker of tests keeps its Chromium for its next files: to start one takes as long as to show ten pages. */
const isKept = process.env.VITEST !== undefined;
let kept: Promise<Running> | null = null;

async function launch(): Promise<Running> {
  const { executable, env } = await unpackedChromium();
  const forget = () => {
    kept = null;
  };
  const starting = chromium.launch({
    executablePath: executable,
    env,
    // The user of a container is root, for whom Chromium has no sandbox.
    chromiumSandbox: process.getuid?.() !== 0,
    args: [
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      '--font-render-hinting=none',
      // Chromium would hold a process ready for each next page.
      '--renderer-process-limit=1',
      // It would begin another for an empty page, and compile axe anew in it.
      '--disable-site-isolation-trials',
      // No page lives as long as it takes until its scripts run faster than compiling them well took.
      '--js-flags=--no-opt,--no-maglev',
    ],
  });
  // What did not start, or has crashed, serves no file any more.
  starting.catch(forget);
  const browser = await starting;
  browser.on('disconnected', forget);
  return { browser, idle: [] };
}

/** Starts a headless Chromium: with a view of its own for each test. */
export async function startBrowser(): Promise<TestBrowser> {
  if (isKept) kept ??= launch();
  const running = await (kept ?? launch());
  const opened = new Set<View>();
  const closeViews = async () => {
    await Promise.all([...opened].map((view) => view.close()));
  };
  return {
    async open(options = {}) {
      const view = await openView(running, options, () => opened.delete(view));
      opened.add(view);
      return view;
    },
    closeViews,
    close: isKept ? closeViews : () => running.browser.close(),
  };
}

async function openView(
  running: Running,
  {
    size = 'phone',
    dark = false,
    language = 'en',
    javaScript = true,
    zone = 'UTC',
    own = false,
  }: ViewOptions,
  left: () => unknown,
): Promise<View> {
  const fixed = {
    deviceScaleFactor: size === 'desk' ? 1 : 2,
    locale: language,
    javaScriptEnabled: javaScript,
    timezoneId: zone,
  };
  const kind = JSON.stringify(fixed);
  const index = own ? -1 : running.idle.findIndex((one) => one.kind === kind);
  const [found] = index === -1 ? [] : running.idle.splice(index, 1);
  const colorScheme = dark ? 'dark' : 'light';
  const newContext = () => running.browser.newContext({ ...fixed, viewport: sizes[size], colorScheme });
  const page = found?.page ?? (await (await newContext()).newPage());
  const context = page.context();
  context.setDefaultTimeout(patience);
  const { forget, ...seen } = watch(page);
  const renew = async () => {
    await context.clearCookies();
    await page.setViewportSize(sizes[size]);
    await page.emulateMedia({ colorScheme });
    forget();
  };
  await renew();
  const close = async () => {
    left();
    if (own || !(await isEmptied(page))) return context.close();
    running.idle.unshift({ kind, page });
    await Promise.all(running.idle.splice(mostIdle).map((one) => one.page.context().close()));
  };
  return { context, page, ...seen, renew, close };
}

/** Takes from a page what a test has put there. @returns whether it can serve another */
async function isEmptied(page: Page): Promise<boolean> {
  if (page.isClosed()) return false;
  for (const event of ['console', 'pageerror', 'request', 'response'] as const)
    page.removeAllListeners(event);
  const context = page.context();
  const others = context.pages().filter((one) => one !== page);
  await Promise.all(others.map((one) => one.close()));
  await page.unrouteAll();
  await context.clearPermissions();
  await page.emulateMedia({ media: null });
  await page.goto('about:blank');
  return true;
}

function watch(page: Page) {
  const problems: string[] = [];
  const requests: string[] = [];
  const documents: Response[] = [];
  // What a frame of the page shows is a document of its own.
  const isOfPage = (request: Request) => request.frame() === page.mainFrame();
  page.on('request', (request) => {
    if (isOfPage(request) && !request.url().startsWith('data:')) requests.push(request.url());
  });
  page.on('response', (response) => {
    const isPage = isOfPage(response.request()) && response.request().resourceType() === 'document';
    if (isPage && response.headers()['content-type']?.startsWith('text/html')) documents.push(response);
  });
  page.on('pageerror', (error) => problems.push(`script: ${error.message}`));
  page.on('console', (message) => {
    // An error page has an error's status, which Chromium reports as the failure of a resource.
    const isOwnStatus =
      message.location().url === page.url() && message.text().startsWith('Failed to load resource');
    if (!isOwnStatus && ['error', 'warning'].includes(message.type())) {
      problems.push(`console: ${message.text()}`);
    }
  });
  const forget = () => {
    for (const seen of [problems, requests, documents]) seen.length = 0;
  };
  return { problems, requests, documents, forget };
}
