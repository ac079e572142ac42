import type { Answer } from '../http.ts';
import { field, type Visitor } from '../visitor.ts';

/** A page that a crawler saw, and how it came there. */
export interface Seen {
  /** Each step from where it began. */
  readonly way: readonly string[];
  readonly status: number;
  readonly text: string;
}

/** A way on that a page offers. */
interface Step {
  readonly name: string;
  /** The address, or null for a form that is posted. */
  readonly url: string | null;
  take(): Promise<Answer>;
}

export interface CrawlOptions {
  /**
   * Values of fields by name, each tried in turn; what is not named is left as the page has it. Of buttons
   * with such a name only those with one of the values are pressed.
   */
  readonly fill: Readonly<Record<string, readonly string[]>>;
  /** Forms that are not sent, by their action. */
  readonly skip?: RegExp;
  /** No more pages than this. */
  readonly most?: number;
}

/**
 * Looks at everything that can be reached from some pages by links, by forms and by their mistakes, as a
 * reviewer would who presses everything. Pages are told apart by their paths, statuses and words, not by what
 * is sealed into their addresses.
 */
export async function crawl(
  browser: Visitor,
  from: Readonly<Record<string, string>>,
  { fill, skip = /^$/, most = 400 }: CrawlOptions,
): Promise<readonly Seen[]> {
  const seen = new Map<string, Seen>();
  const waiting: { readonly way: readonly string[]; readonly step: Step }[] = Object.entries(from).map(
    ([name, url]) => ({ way: [], step: visit(browser, name, url) }),
  );
  // An address is looked at again only once something was sent since: a menu leads to the same pages from each.
  const looked = new Map<string, number>();
  let sent = 0;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { url } = next.step;
    if (url === null) sent += 1;
    else if (looked.get(url) === sent) continue;
    else looked.set(url, sent);
    const { answer, path } = await follow(browser, await next.step.take(), next.step.url);
    const way = [...next.way, next.step.name];
    const key = `${path} ${answer.status} ${wordsOf(answer.text)}`;
    if (seen.has(key)) continue;
    seen.set(key, { way, status: answer.status, text: answer.text });
    if (seen.size > most) throw new Error(`more than ${most} pages: ${way.join(' > ')}`);
    for (const step of stepsOf(browser, answer, fill, skip)) waiting.push({ way, step });
  }
  return [...seen.values()];
}

const visit = (browser: Visitor, name: string, url: string): Step => ({
  name,
  url,
  take: () => browser.send(url),
});

/** Follows our own redirects; what leads to a client ends there. */
async function follow(browser: Visitor, first: Answer, url: string | null) {
  let answer = first;
  let path = url ?? 'a form';
  while (answer.headers.location?.startsWith('/')) {
    path = answer.headers.location;
    answer = await browser.send(path);
  }
  return { answer, path: path.split('?')[0] };
}

/** What a person reads, without references and numbers. */
function wordsOf(text: string): string {
  return text
    .replace(/<(style|script)[\s\S]*?<\/\1>/g, '')
    .replace(/Reference: \w+/, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');
}

function stepsOf(browser: Visitor, page: Answer, fill: CrawlOptions['fill'], skip: RegExp): readonly Step[] {
  const links = [...page.text.matchAll(/<a [^>]*href="(\/[^"]*)"[^>]*>([\s\S]*?)<\/a>/g)].map(
    ([, href = '', label = '']) => visit(browser, wordsOf(label).trim(), href.replaceAll('&amp;', '&')),
  );
  const forms = [...page.text.matchAll(/<form method="(get|post)" action="(\/[^"]*)"[\s\S]*?<\/form>/g)]
    .filter(([, , action = '']) => !skip.test(action))
    .flatMap(([form, method = '', action = '']) => submissions(browser, form, method, action, page, fill));
  return [...links, ...forms];
}

/** Every way to send a form: by each of its buttons, with each value of the fields that have some. */
function submissions(
  browser: Visitor,
  form: string,
  method: string,
  action: string,
  page: Answer,
  fill: CrawlOptions['fill'],
): readonly Step[] {
  const names = [...form.matchAll(/<input[^>]*name="([^"]*)"/g)].map(([, name = '']) => name);
  const buttons = [...form.matchAll(/<button[^>]*type="submit"[^>]*>/g)].flatMap(([tag]) => {
    const [, name] = /name="([^"]*)"/.exec(tag) ?? [];
    const [, value = ''] = /value="([^"]*)"/.exec(tag) ?? [];
    if (name === undefined) return [{}];
    return fill[name]?.includes(value) === false ? [] : [{ [name]: value }];
  });
  const shownIn = (name: string) => {
    try {
      return field({ ...page, text: form }, name);
    } catch {
      return '';
    }
  };
  const tries = Math.max(1, ...names.map((name) => fill[name]?.length ?? 0));
  return buttons.flatMap((pressed) =>
    Array.from({ length: tries }, (_, index) => {
      const body = Object.fromEntries(
        names.map((name) => [name, fill[name]?.[index % (fill[name]?.length ?? 1)] ?? shownIn(name)]),
      );
      const sent = { ...body, ...pressed };
      const url = `${action}?${new URLSearchParams(sent)}`;
      return {
        name: `${action} ${JSON.stringify({ ...pressed, try: index })}`,
        url: method === 'get' ? url : null,
        take: () => (method === 'get' ? browser.send(url) : browser.send(action, { body: sent })),
      };
    }),
  );
}
