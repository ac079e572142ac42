import { type BrowserContext, chromium, type Page, type Request, type Response } from 'playwright-core';
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
}

export interface TestBrowser {
  open(options?: ViewOptions): Promise<View>;
  /** Closes every view, for the end of a test. */
  closeViews(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a headless Chromium: one for a test file, with a view of its own for each test. */
export async function startBrowser(): Promise<TestBrowser> {
  const { executable, env } = await unpackedChromium();
  const browser = await chromium.launch({
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
    ],
  });
  return {
    async open({ size = 'phone', dark = false, language = 'en', javaScript = true, zone = 'UTC' } = {}) {
      const context = await browser.newContext({
        viewport: sizes[size],
        deviceScaleFactor: size === 'desk' ? 1 : 2,
        colorScheme: dark ? 'dark' : 'light',
        locale: language,
        javaScriptEnabled: javaScript,
        timezoneId: zone,
      });
      context.setDefaultTimeout(patience);
      const page = await context.newPage();
      const { forget, ...seen } = watch(page);
      const renew = async () => {
        await context.clearCookies();
        await page.setViewportSize(sizes[size]);
        await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
        forget();
      };
      return { context, page, ...seen, renew };
    },
    closeViews: async () => {
      await Promise.all(browser.contexts().map((context) => context.close()));
    },
    close: () => browser.close(),
  };
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
