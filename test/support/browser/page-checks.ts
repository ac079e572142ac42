import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { HtmlValidate } from 'html-validate';
import type { View } from './browser.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const validator = new HtmlValidate({
  extends: ['html-validate:recommended'],
  rules: {
    'doctype-style': ['error', { style: 'lowercase' }],
    'void-style': ['error', { style: 'omit' }],
    'no-trailing-whitespace': 'off',
    // Apps and tenants choose their own names.
    'long-title': 'off',
    // A box for each choice of one field.
    'form-dup-name': ['error', { shared: ['button', 'checkbox', 'radio', 'reset', 'submit'] }],
    // Our own script has its content's hash in its name.
    'require-sri': ['error', { target: 'crossorigin' }],
  },
});

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** What axe finds on the page, as lines that tell where. */
export async function axeFindings({ page }: View): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axe);
  const violations = await page.evaluate<readonly Violation[]>(
    `axe.run({ resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } }).then(({ violations }) => violations)`,
  );
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
