// Parses YAML and JSON strictly.
import { Composer, type CST, type ErrorCode, Lexer, type LineCounter, type Node, Parser } from 'yaml';
import { tenantFile } from '../../core/operators/limits.ts';
import { type Problem, type ProblemCode, problem } from '../../core/problem.ts';

/** JSON is YAML too. No merge keys and no types of other languages: what YAML 1.2 calls its core schema. */
const options = {
  version: '1.2',
  schema: 'core',
  merge: false,
  // Its own check compares each name with each other one.
  uniqueKeys: false,
  prettyErrors: false,
} as const;

/** What the parser finds, by its codes; its own words may repeat what it found. */
const codes = {
  BAD_ALIAS: 'yaml_alias',
  BAD_DIRECTIVE: 'yaml_directive',
  BAD_DQ_ESCAPE: 'yaml_escape',
  BAD_INDENT: 'yaml_indent',
  BAD_SCALAR_START: 'yaml_needs_quotes',
  BLOCK_AS_IMPLICIT_KEY: 'yaml_colon_in_text',
  MISSING_CHAR: 'yaml_character_missing',
  MULTILINE_IMPLICIT_KEY: 'yaml_colon_missing',
  MULTIPLE_DOCS: 'yaml_second_document',
  RESOURCE_EXHAUSTION: 'yaml_too_deep',
  TAB_AS_INDENT: 'yaml_tab',
  UNEXPECTED_TOKEN: 'yaml_unexpected',
} as const satisfies Partial<Record<ErrorCode, ProblemCode>>;

const ofCode = (code: ErrorCode) =>
  problem([], code in codes ? codes[code as keyof typeof codes] : 'not_yaml');

/** A problem, and where in the text it begins. */
export interface PlacedProblem {
  readonly offset: number;
  readonly found: Problem;
}

export type ParsedYaml =
  | { readonly ok: true; readonly contents: Node }
  | { readonly ok: false; readonly problems: readonly PlacedProblem[] };

/**
 * Parses YAML 1.2 or JSON.
 *
 * @param counter learns where each line begins
 */
export function parseYaml(text: string, counter: LineCounter): ParsedYaml {
  const no = (offset: number, found: Problem): ParsedYaml => ({ ok: false, problems: [{ offset, found }] });
  if (Buffer.byteLength(text) > tenantFile.bytes) {
    return no(0, problem([], 'yaml_too_large', { most: tenantFile.bytes / 1_024 }));
  }
  const tokens = tokensOf(text, counter);
  if (!tokens.ok) {
    return no(tokens.offset, problem([], tokens.isDeep ? 'yaml_too_deep' : 'yaml_too_much'));
  }
  // The parser would take some of them, and only warn of others.
  const directive = tokens.tokens.find(({ type }) => type === 'directive');
  if (directive !== undefined) return no(directive.offset, problem([], 'yaml_directive'));
  const composer = new Composer({ ...options, lineCounter: counter });
  const documents = [...composer.compose(tokens.tokens, true, text.length)];
  const [document, second] = documents;
  if (second !== undefined) return no(second.range?.[0] ?? 0, problem([], 'yaml_second_document'));
  const errors = document?.errors ?? [];
  if (errors.length > 0) {
    const problems = errors.map(({ code, pos }) => ({ offset: pos[0], found: ofCode(code) }));
    return { ok: false, problems };
  }
  const contents = document?.contents ?? null;
  return contents === null ? no(0, problem([], 'yaml_empty')) : { ok: true, contents };
}

type ReadTokens =
  | { readonly ok: true; readonly tokens: readonly CST.Token[] }
  | { readonly ok: false; readonly offset: number; readonly isDeep: boolean };

/** Cuts a text into tokens, and stops where it gets deeper or longer than any tenant file: the rest costs time. */
function tokensOf(text: string, counter: LineCounter): ReadTokens {
  const parser = new Parser(counter.addNewLine);
  const tokens: CST.Token[] = [];
  let count = 0;
  counter.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    count += 1;
    const isDeep = parser.stack.length > deepest;
    if (isDeep || count > tenantFile.lexemes) return { ok: false, offset: parser.offset, isDeep };
  }
  tokens.push(...parser.end());
  return { ok: true, tokens };
}

/** Each level is two things at most: a map, and a list in it. */
const deepest = 4 * tenantFile.depth;
