import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { HtmlValidate, type ResolvedConfig, StaticConfigLoader } from 'html-validate';
import type { View } from './browser.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Brings axe into a page from the storage of its origin. To hand it to each page anew takes as long as running it:
 * what comes from there Chromium has compiled before.
 */
const load = `(() => {
  const kept = localStorage.getItem('axe');
  if (!('axe' in window) && kept !== null) (0, eval)(kept);
  return 'axe' in window;
})()`;
const keep = `localStorage.setItem('axe', ${JSON.stringify(axe)})`;

/** Puts its rules together once: for each page anew takes longer than to hold them against it. */
class LoadedOnce extends StaticConfigLoader {
  private loaded: ResolvedConfig | Promise<ResolvedConfig> | null = null;

  override getConfigFor(name: string): ResolvedConfig | Promise<ResolvedConfig> {
    this.loaded ??= super.getConfigFor(name);
    return this.loaded;
  }
}

const rules = new LoadedOnce({
  extends: ['html-validate:recommended'],
  rules: {
    'doctype-style': ['error', { style: 'lowercase' }],
    'void-style': ['error', { style: 'omit' }],
    'no-trailing-whitespace': 'off',
    // Apps and tenants choose their own names.
    'long-title': 'off',
    // A box for each choice of one field.
    'form-dup-name': ['error', { shared: ['button', 'checkbox', 'radio', 'reset', 'submit'] }],
    // A browser without script loads the page of an import anew while it is at work: no field is on it.
    'meta-refresh': 'off',
    // Our own script has its content's hash in its name.
    'require-sri': ['error', { target: 'crossorigin' }],
  },
});
const validator = new HtmlValidate(rules);

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/**
 * The rules of axe whose answer hangs on colours, sizes and direction. A page that all rules were held against
 * in one look needs these alone in another, as no style shows or hides anything by colour scheme, and none of the
 * members' pages by size or direction.
 */
const rulesOfLooks = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable', 'target-size'];

/**
 * What axe finds on the page, as lines that tell where.
 * @param rules all of them, or those whose answer another look may change
 */
export async function axeFindings(
  { page }: View,
  rules: 'all' | 'of looks' = 'all',
): Promise<readonly string[]> {
  const chosen =
    rules === 'all'
      ? { rules: { 'target-size': { enabled: true } } }
      : // What is loaded ahead is for another rule.
        { runOnly: rulesOfLooks, preload: false };
  // No frame has axe: it would wait for the answer of each.
  const options = { resultTypes: ['violations'], iframes: false, ...chosen };
  const run = `${load} ? axe.run(${JSON.stringify(options)}).then(({ violations }) => violations) : null`;
  const look = () => page.evaluate<readonly Violation[] | null>(run);
  const violations = (await look()) ?? (await page.evaluate(keep).then(look));
  if (violations === null) throw new Error('axe is not in the page');
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

/** What is wrong with a document's HTML, as lines that tell where. */
export async function htmlFindings(document: string): Promise<readonly string[]> {
  const { results } = await validator.validateString(document);
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line }) => `${ruleId}, line ${line}: ${message}`),
  );
}
