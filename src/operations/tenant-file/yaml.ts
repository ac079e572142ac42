// Parses YAML and JSON strictly, and remembers where each value stands.
import {
  Composer,
  type CST,
  type ErrorCode,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  Parser,
} from 'yaml';
import { tenantFile } from '../../core/operators/limits.ts';
import { type Path, type Position, type Problem, type ProblemCode, problem } from '../../core/problem.ts';

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

/** A text that was read. */
export interface Source {
  /** The value as JSON has it; undefined if the text cannot be read at all. */
  readonly value: unknown;
  readonly problems: readonly Problem[];
  /** Where each value begins, by the key of its path. */
  readonly positions: ReadonlyMap<string, Position>;
  /** Where the name of each value begins, likewise. */
  readonly namePositions: ReadonlyMap<string, Position>;
}

/** Says what is wrong at an offset of the text. */
type Tell = (offset: number, problem: Problem) => void;

/**
 * Reads YAML 1.2 or JSON, and remembers where everything stands. Whatever can mean two things, or more than it
 * says, is a problem: repeated names, aliases (which unfold without end), types of other languages, merge keys.
 */
export function parseSource(text: string): Source {
  const counter = new LineCounter();
  const at = (offset: number): Position => {
    const { line, col } = counter.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const problems: Problem[] = [];
  const tell: Tell = (offset, found) => problems.push({ ...found, position: at(offset) });
  const contents = parseYaml(text, counter, tell);
  const walk = { at, tell, positions: new Map(), namePositions: new Map() };
  const value = contents === null ? undefined : readNode(contents, [], walk);
  return { ...walk, value, problems };
}

/** @param counter learns where each line begins */
function parseYaml(text: string, counter: LineCounter, tell: Tell): Node | null {
  if (Buffer.byteLength(text) > tenantFile.bytes) {
    tell(0, problem([], 'yaml_too_large', { most: tenantFile.bytes / 1_024 }));
    return null;
  }
  const tokens = tokensOf(text, counter, tell);
  if (tokens === null) return null;
  // The parser would take some of them, and only warn of others.
  const directive = tokens.find(({ type }) => type === 'directive');
  const composer = new Composer({ ...options, lineCounter: counter });
  const [document, second] = directive === undefined ? composer.compose(tokens, true, text.length) : [];
  const { errors = [], contents = null } = document ?? {};
  if (directive !== undefined) tell(directive.offset, problem([], 'yaml_directive'));
  else if (second !== undefined) tell(second.range?.[0] ?? 0, problem([], 'yaml_second_document'));
  else if (errors.length > 0) for (const { code, pos } of errors) tell(pos[0], ofCode(code));
  else if (contents === null) tell(0, problem([], 'yaml_empty'));
  else return contents;
  return null;
}

/** Cuts a text into tokens, and stops where it gets deeper or longer than any tenant file: the rest costs time. */
function tokensOf(text: string, counter: LineCounter, tell: Tell): readonly CST.Token[] | null {
  const parser = new Parser(counter.addNewLine);
  const tokens: CST.Token[] = [];
  let count = 0;
  counter.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    count += 1;
    const isDeep = parser.stack.length > deepest;
    if (isDeep || count > tenantFile.lexemes) {
      tell(parser.offset, problem([], isDeep ? 'yaml_too_deep' : 'yaml_too_much'));
      return null;
    }
  }
  tokens.push(...parser.end());
  return tokens;
}

/** Each level is two things at most: a map, and a list in it. */
const deepest = 4 * tenantFile.depth;

/** Where a value begins; of one that is not there, what is around it. */
export function positionIn(positions: ReadonlyMap<string, Position>, path: Path): Position {
  for (let length = path.length; length >= 0; length -= 1) {
    const found = positions.get(keyOf(path.slice(0, length)));
    if (found !== undefined) return found;
  }
  return { line: 1, column: 1 };
}

/** A path as the key of a map. */
export const keyOf = (path: Path) => path.map(String).join('\u0000');

interface Walk {
  readonly at: (offset: number) => Position;
  readonly tell: Tell;
  readonly positions: Map<string, Position>;
  readonly namePositions: Map<string, Position>;
}

function readNode(node: Node, path: Path, walk: Walk): unknown {
  const [offset] = node.range ?? [0];
  walk.positions.set(keyOf(path), walk.at(offset));
  const { anchor, tag } = node as { readonly anchor?: string; readonly tag?: string };
  if (anchor !== undefined) walk.tell(offset, problem([], 'yaml_anchor'));
  if (tag !== undefined) walk.tell(offset, problem([], 'yaml_type'));
  if (path.length > tenantFile.depth) {
    walk.tell(offset, problem([], 'yaml_too_deep'));
    return null;
  }
  if (isSeq<Node>(node)) return node.items.map((item, index) => readNode(item, [...path, index], walk));
  if (isMap<Node, Node | null>(node)) return readObject(node.items, path, walk);
  if (!isScalar(node)) {
    walk.tell(offset, problem([], 'yaml_alias'));
    return null;
  }
  if (typeof node.value === 'number' && !Number.isFinite(node.value)) {
    walk.tell(offset, problem([], 'yaml_not_a_number'));
    return null;
  }
  demandUnicode(node.value, offset, walk);
  return node.value;
}

/** An escape can write half a character, which a database gives back as another one. */
function demandUnicode(value: unknown, offset: number, { tell }: Walk): void {
  if (typeof value !== 'string' || value.isWellFormed()) return;
  tell(offset, problem([], 'yaml_half_character'));
}

function readObject(
  pairs: readonly Pair<Node, Node | null>[],
  path: Path,
  walk: Walk,
): Readonly<Record<string, unknown>> {
  const entries = new Map<string, unknown>();
  for (const { key, value } of pairs) {
    const [offset] = key.range ?? [0];
    if (!isScalar(key) || typeof key.value !== 'string') {
      walk.tell(offset, problem([], 'yaml_name'));
      continue;
    }
    const name = key.value;
    demandUnicode(name, offset, walk);
    const { anchor, tag } = key as { readonly anchor?: string; readonly tag?: string };
    if (anchor !== undefined || tag !== undefined) walk.tell(offset, problem([], 'yaml_plain_name'));
    const own = [...path, name];
    if (entries.has(name)) {
      const { line = 1 } = walk.namePositions.get(keyOf(own)) ?? {};
      walk.tell(offset, problem([], 'yaml_name_twice', { name: JSON.stringify(name), line }));
      continue;
    }
    if (name === '<<') {
      walk.tell(offset, problem([], 'yaml_merge'));
      continue;
    }
    walk.namePositions.set(keyOf(own), walk.at(offset));
    entries.set(name, value === null ? null : readNode(value, own, walk));
    if (value === null) walk.positions.set(keyOf(own), walk.at(offset));
  }
  // Names are data here: none of them meets what objects have by birth.
  return Object.fromEntries(entries);
}
