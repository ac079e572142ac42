import { readdirSync, readFileSync } from 'node:fs';
import { IntlMessageFormat } from 'intl-messageformat';
import ts from 'typescript-5';
import { describe, expect, it } from 'vitest';
import { templateFolder } from '../../src/text/templates.ts';
import { sources } from '../support/sources.ts';

const read = (name: string) => readFileSync(new URL(name, templateFolder), 'utf8');
const catalogue = JSON.parse(read('languages/portal/en.json')) as Readonly<Record<string, string>>;

/** The templates of the portal; the settings that people copy into their apps are programs, not texts. */
const templates = readdirSync(new URL('admin/', templateFolder), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.eta') && !name.startsWith('settings'))
  .map((name) => ({ name, text: read(`admin/${name}`) }));
const code = sources.filter(({ name }) => name.startsWith('http/admin/portal/'));

/** What an expression can be: a text, or one with gaps, written as `*`. */
function keysOf(node: ts.Node): readonly string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node)) {
    const heads = node.templateSpans.map(({ literal }) => `*${literal.text}`);
    return [[node.head.text, ...heads].join('')];
  }
  if (ts.isParenthesizedExpression(node)) return keysOf(node.expression);
  if (ts.isConditionalExpression(node)) return [...keysOf(node.whenTrue), ...keysOf(node.whenFalse)];
  return [];
}

const parsed = (text: string) => ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true);

function each(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => each(child, visit));
}

/** The keys that some code says. */
function saidIn(text: string): readonly string[] {
  const said: string[] = [];
  each(parsed(text), (node) => {
    const isSay =
      ts.isCallExpression(node) && /^(?:say(?:IfKnown)?|piecesOf)$/.test(node.expression.getText());
    const [key] = isSay ? node.arguments : [];
    if (key !== undefined) said.push(...keysOf(key));
  });
  return said;
}

/** The code of a template, without what it prints around it. */
const codeOf = (template: string) =>
  [...template.matchAll(/<%[-_]?[~=]?([\s\S]*?)[-_]?%>/g)].map(([, inside]) => inside).join('\n;');

const literals: readonly string[] = code.flatMap(({ code: text }) => {
  const found: string[] = [];
  each(parsed(text), (node) => {
    if (ts.isStringLiteralLike(node)) found.push(node.text);
  });
  return found;
});
const said = [...templates.map(({ text }) => codeOf(text)), ...code.map((file) => file.code)].flatMap(saidIn);

describe('the catalogue of the portal', () => {
  it('has its keys in order, and a message under each that can be read', () => {
    const keys = Object.keys(catalogue);
    expect(keys).toEqual(keys.toSorted());
    for (const [key, text] of Object.entries(catalogue)) {
      expect(() => new IntlMessageFormat(text, 'en'), key).not.toThrow();
      expect(text.trim(), key).not.toBe('');
    }
  });

  it('has every text that is used, and no other', () => {
    const keys = Object.keys(catalogue);
    const patterns = said.filter((key) => key.includes('*')).map((key) => key.split('*'));
    const fits = (key: string) => (parts: readonly string[]) =>
      key.startsWith(parts[0] ?? '') && key.endsWith(parts.at(-1) ?? '');
    expect(said.filter((key) => !key.includes('*') && !(key in catalogue))).toEqual([]);
    expect(patterns.filter((parts) => !keys.some((key) => fits(key)(parts)))).toEqual([]);
    // A key can be handed on before it is said.
    const known = new Set([...said, ...literals]);
    expect(keys.filter((key) => !known.has(key) && !patterns.some(fits(key)))).toEqual([]);
  });
});

/** A sentence, or a word that stands for one. */
const isEnglish = (text: string) => /[A-Za-z]{2}/.test(text.replaceAll(/&\w+;/g, ''));

/** What stands in the code all the same, and why. */
const allowed: Readonly<Record<string, string>> = {
  'Spring Security': 'the name of a library',
  'curl, server job': 'likewise',
  'Node, server job': 'likewise',
  'curl, web': 'a program, and what it is used for in the file of that name',
  'openid offline_access profile email': 'a scope',
  'Ada Nilsen': 'a member of the development start, in a preview',
  'Living room': 'what a TV calls itself, in a preview',
  'Vision 9000': 'likewise',
  'the member is no administrator': 'the reason that the audit has',
};

describe('no text of the portal stands beside its catalogue', () => {
  it.each(templates)('admin/$name', ({ text }) => {
    const bare = text.replaceAll(/<%[\s\S]*?%>/g, '§');
    const shown = bare
      .replaceAll(/<[^>]*>/g, '\n')
      .split('\n')
      .map((line) => line.trim());
    expect(shown.filter(isEnglish)).toEqual([]);
    const told = [...bare.matchAll(/ (?:aria-label|alt|title|placeholder|content-label)="([^"]*)"/g)];
    expect(told.map(([, value = '']) => value).filter(isEnglish)).toEqual([]);
    const written: string[] = [];
    each(parsed(codeOf(text)), (node) => {
      if (ts.isStringLiteralLike(node) && /^[A-Z“][\s\S]*[a-z]|[a-z]{2} [a-z]{2}.*[.!?]$/.test(node.text)) {
        written.push(node.text);
      }
    });
    expect(written).toEqual([]);
  });

  /** What no page shows: what the audit and the log are told, and what is thrown as a bug. */
  const isForPages = (node: ts.Node): boolean => {
    for (let at = node.parent; at !== undefined; at = at.parent) {
      if (ts.isNewExpression(at) && at.expression.getText() === 'Error') return false;
      if (ts.isPropertyAssignment(at) && at.name.getText() === 'reason') return false;
      if (ts.isVariableDeclaration(at) && at.name.getText() === 'reason') return false;
      if (ts.isCallExpression(at) && at.expression.getText() === 'refused') return false;
    }
    return true;
  };

  it.each(code.map(({ name, code: text }) => ({ name, text })))('$name', ({ text }) => {
    const written: string[] = [];
    each(parsed(text), (node) => {
      const isText =
        ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
      if (
        isText &&
        /[a-z]{2},? [a-z]{2}|^[A-Z][a-z]+ /.test(node.text) &&
        !(node.text in allowed) &&
        isForPages(node)
      )
        written.push(node.text);
    });
    expect(written).toEqual([]);
  });
});
