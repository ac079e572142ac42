import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript-5';
import { describe, expect, it } from 'vitest';
import { problemWords } from '../src/core/problem-words.ts';
import { sources } from './support/sources.ts';

/** What holds words for people: of a schema, an operation, an error, an answer, a problem, an event. */
const ofWords = new Set([
  'description',
  'error_description',
  'lead',
  'message',
  'note',
  'problems',
  'reason',
  'summary',
]);

/** What makes words of a problem or a schema. */
const wording = new Set(['describedWith', 'problemLine', 'problemSentence', 'problemText']);

/** What looks into a text. */
const reading = new Set([
  'charAt',
  'endsWith',
  'includes',
  'indexOf',
  'lastIndexOf',
  'match',
  'matchAll',
  'replace',
  'replaceAll',
  'search',
  'slice',
  'split',
  'startsWith',
  'substring',
]);

/** Places that look at such a text all the same, and why they may. */
const allowed = {
  'core/access/package.ts: unfit.description.test(description)':
    'the description is what an operator gives a package, and is checked',
};

/** Every place of a file that reads in words for people. */
function readingsIn(code: string): readonly string[] {
  const source = ts.createSourceFile('file.ts', code, ts.ScriptTarget.Latest);
  /** What such words are called besides: `{ description: text }`, or `const text = problemText(…)`. */
  const named = new Set<string>();
  const found: string[] = [];

  const isWords = (node: ts.Node): boolean => {
    if (ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node) || ts.isAsExpression(node)) {
      return isWords(node.expression);
    }
    if (ts.isIdentifier(node)) return ofWords.has(node.text) || named.has(node.text);
    if (ts.isPropertyAccessExpression(node)) return ofWords.has(node.name.text);
    if (ts.isElementAccessExpression(node)) return isWords(node.expression);
    if (ts.isTemplateExpression(node)) return node.templateSpans.some((span) => isWords(span.expression));
    if (ts.isBinaryExpression(node)) return isWords(node.left) || isWords(node.right);
    if (!ts.isCallExpression(node)) return false;
    const { expression } = node;
    if (ts.isPropertyAccessExpression(expression)) return isWords(expression.expression);
    if (!ts.isIdentifier(expression)) return false;
    return wording.has(expression.text) || (expression.text === 'String' && node.arguments.some(isWords));
  };

  const learn = (node: ts.Node): void => {
    if (ts.isBindingElement(node) && ts.isIdentifier(node.name)) {
      const { propertyName } = node;
      if (propertyName !== undefined && ts.isIdentifier(propertyName) && ofWords.has(propertyName.text)) {
        named.add(node.name.text);
      }
    }
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer !== undefined) {
      if (ts.isCallExpression(node.initializer) && isWords(node.initializer)) named.add(node.name.text);
    }
    // `for (const problem of problems)`, and `problems.map((problem) => …)`.
    if (
      ts.isForOfStatement(node) &&
      isWords(node.expression) &&
      ts.isVariableDeclarationList(node.initializer)
    ) {
      for (const { name } of node.initializer.declarations) if (ts.isIdentifier(name)) named.add(name.text);
    }
    if (ts.isCallExpression(node) && isWords(node)) {
      const [callback] = node.arguments;
      const name =
        callback !== undefined && ts.isArrowFunction(callback) ? callback.parameters[0]?.name : undefined;
      if (name !== undefined && ts.isIdentifier(name)) named.add(name.text);
    }
    ts.forEachChild(node, learn);
  };

  const look = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { expression: target, name } = node.expression;
      const isRead = reading.has(name.text) && isWords(target);
      const isTested = ['exec', 'test'].includes(name.text) && node.arguments.some(isWords);
      if (isRead || isTested) found.push(node.getText(source).replaceAll(/\s+/g, ' '));
    }
    ts.forEachChild(node, look);
  };

  learn(source);
  look(source);
  return found;
}

describe('architecture, rule 17: a problem is a value', () => {
  it('no code parses the words of a problem, a description or a reason', () => {
    // Where problems are worded, their words are put together.
    const others = sources.filter(({ name }) => name !== 'operations/problem-text.ts');
    const readings = others.flatMap(({ name, code }) => readingsIn(code).map((place) => `${name}: ${place}`));
    expect(readings).toEqual(Object.keys(allowed));
  });

  it.each([
    "schema.description?.includes('null is no limit')",
    "const isMeant = /\\bnull\\b/.test(schema.description ?? '')",
    "error.problems.map((problem) => problem)[0].split(' ')",
    "error.problems.map((said) => said.replace('name', 'x'))",
    "for (const told of error.problems) told.startsWith('name ')",
    'const { message: words } = error; /^(\\w+) must/.exec(words)',
    "const line = problemText(found); line.startsWith('name ')",
    "(event.reason ?? '').split(': ')",
  ])('and this rule finds: %s', (code) => {
    expect(readingsIn(code)).toHaveLength(1);
  });

  it('every problem that has words is made somewhere', () => {
    const code = sources.map((source) => source.code).join('\n');
    expect(Object.keys(problemWords).filter((name) => !code.includes(`'${name}'`))).toEqual([]);
  });

  it.each([
    ['core/problem-words.ts', ['core/problem.ts', 'operations/problem-text.ts']],
    ['ajv', ['operations/schema-problems.ts']],
  ])('%s is used where problems are made and worded, and nowhere else', (used, users) => {
    const folder = fileURLToPath(new URL('../src/', import.meta.url));
    const found = sources.filter(
      ({ name, imports }) =>
        imports.includes(used) ||
        (used === 'ajv' && /from 'ajv[/']/.test(readFileSync(`${folder}${name}`, 'utf8'))),
    );
    expect(found.map(({ name }) => name)).toEqual(users);
  });
});
