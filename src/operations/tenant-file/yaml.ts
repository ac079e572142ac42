import { Composer, type CST, type ErrorCode, Lexer, type LineCounter, type Node, Parser } from 'yaml';
import { tenantFile } from '../../core/operators/limits.ts';

/** JSON is YAML too. No merge keys and no types of other languages: what YAML 1.2 calls its core schema. */
const options = {
  version: '1.2',
  schema: 'core',
  merge: false,
  // Its own check compares each name with each other one.
  uniqueKeys: false,
  prettyErrors: false,
} as const;

/** What is wrong with a text that is no YAML; the parser's own words may repeat what it found. */
export const problemWords: Partial<Record<ErrorCode, string>> = {
  BAD_ALIAS: 'aliases are not taken: write it out',
  BAD_DIRECTIVE: 'directives are not taken: take the line with % away',
  BAD_DQ_ESCAPE: 'there is no such escape sequence',
  BAD_INDENT: 'it is not indented like what is around it, or a bracket is not closed',
  BAD_SCALAR_START: 'a text that begins with this character needs quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a text with a colon in it needs quotes',
  MISSING_CHAR: 'a quote, a bracket, a comma or a colon is missing, or the indentation is off',
  MULTILINE_IMPLICIT_KEY: 'a colon is missing behind a name',
  MULTIPLE_DOCS: 'a second document begins: a tenant file is one',
  RESOURCE_EXHAUSTION: 'it is nested too deeply',
  TAB_AS_INDENT: 'tabs do not indent: use spaces',
  UNEXPECTED_TOKEN: 'this does not belong here',
};

export type ParsedYaml =
  | { readonly ok: true; readonly contents: Node }
  | { readonly ok: false; readonly problems: readonly { readonly offset: number; readonly text: string }[] };

/**
 * Parses YAML 1.2 or JSON.
 *
 * @param counter learns where each line begins
 */
export function parseYaml(text: string, counter: LineCounter): ParsedYaml {
  const no = (offset: number, said: string | undefined): ParsedYaml => ({
    ok: false,
    problems: [{ offset, text: said ?? 'this is not YAML' }],
  });
  if (Buffer.byteLength(text) > tenantFile.bytes) return no(0, tooLarge);
  const tokens = tokensOf(text, counter);
  if (!tokens.ok) return no(tokens.offset, tokens.isDeep ? problemWords.RESOURCE_EXHAUSTION : tooMuch);
  // The parser would take some of them, and only warn of others.
  const directive = tokens.tokens.find(({ type }) => type === 'directive');
  if (directive !== undefined) return no(directive.offset, problemWords.BAD_DIRECTIVE);
  const composer = new Composer({ ...options, lineCounter: counter });
  const documents = [...composer.compose(tokens.tokens, true, text.length)];
  const [document, second] = documents;
  if (second !== undefined) return no(second.range?.[0] ?? 0, problemWords.MULTIPLE_DOCS);
  const errors = document?.errors ?? [];
  if (errors.length > 0) {
    const problems = errors.map(({ code, pos }) => ({
      offset: pos[0],
      text: problemWords[code] ?? 'this is not YAML',
    }));
    return { ok: false, problems };
  }
  const contents = document?.contents ?? null;
  return contents === null ? no(0, 'the file is empty') : { ok: true, contents };
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

const tooLarge = `the file is larger than ${tenantFile.bytes / 1_024} KiB: split it by tenants`;
const tooMuch = 'there is more in it than in any tenant file: split it by tenants';
