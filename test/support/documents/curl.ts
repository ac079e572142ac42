import type { Answer } from '../http.ts';
import type { TestService } from '../service.ts';

/** The lines of a block of shell, those that a backslash or an open quote continues in one. */
export function shellLines(block: string): readonly string[] {
  const lines: string[] = [];
  let open = '';
  for (const line of block.replace(/\\\n\s*/g, '').split('\n')) {
    open = open === '' ? line : `${open}\n${line}`;
    if ([...open].filter((sign) => sign === "'").length % 2 === 1) continue;
    if (open.trim() !== '') lines.push(open.trim());
    open = '';
  }
  return lines;
}

/** Variables of a shell, by name. */
export type Variables = Readonly<Record<string, string>>;

/** The words of a line, with quotes taken away and variables put in their places where a shell would. */
export function wordsOf(line: string, variables: Variables): readonly string[] {
  const filled = (text: string) =>
    text.replace(/\$(\w+)/g, (_, name: string) => {
      const value = variables[name];
      if (value === undefined) throw new Error(`nothing has set $${name}`);
      return value;
    });
  const words = line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g);
  return [...words].map(([word]) =>
    [...word.matchAll(/'([^']*)'|"([^"]*)"|([^'"]+)/g)]
      .map(([, single, double, bare]) => single ?? filled(double ?? bare ?? ''))
      .join(''),
  );
}

/** What a line of curl asks for. */
interface Asked {
  method?: string;
  url?: string;
  readonly data: string[];
  readonly headers: Record<string, string>;
  isGet: boolean;
}

type Option = (asked: Asked, value: string) => void;

const encoded = (text: string) =>
  text.replace(/^([^=]*=)(.*)$/s, (_, name, value) => name + encodeURIComponent(value));

const addHeader: Option = ({ headers }, value) => {
  const [name = '', ...rest] = value.split(':');
  headers[name.trim().toLowerCase()] = rest.join(':').trim();
};

const options: Readonly<Record<string, Option>> = {
  '-d': ({ data }, value) => void data.push(value),
  '--data-urlencode': ({ data }, value) => void data.push(encoded(value)),
  '-H': addHeader,
  '--json': (asked, value) => {
    asked.data.push(value);
    asked.headers['content-type'] = 'application/json';
  },
  // A jar of cookies is for the next line, and a visitor has one of its own.
  '-c': () => {},
  '-u': ({ headers }, value) => {
    headers.authorization = `Basic ${Buffer.from(value).toString('base64')}`;
  },
  '-X': (asked, value) => {
    asked.method = value;
  },
};

const flags: Readonly<Record<string, (asked: Asked) => void>> = {
  '-g': () => {},
  '-s': () => {},
  '-si': () => {},
  '-i': () => {},
  '-G': (asked) => {
    asked.isGet = true;
  },
};

function askedBy(words: readonly string[]): Asked {
  const asked: Asked = { data: [], headers: {}, isGet: false };
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const option = options[word];
    if (option !== undefined) {
      at += 1;
      option(asked, words[at] ?? '');
    } else if (flags[word] !== undefined) flags[word](asked);
    else if (word.startsWith('-')) throw new Error(`no document has had curl ${word} so far`);
    else asked.url = word;
  }
  return asked;
}

/**
 * Does what a line of curl in a document does, at a service of the test: a machine that runs the tests need not have
 * curl.
 */
export async function curl(service: TestService, host: string, words: readonly string[]): Promise<Answer> {
  const { method, url, data, headers, isGet } = askedBy(words);
  const { pathname, search } = new URL(url ?? '');
  const form = data.join('&');
  const type = headers['content-type'] ?? 'application/x-www-form-urlencoded';
  const sends = form !== '' && !isGet;
  return service.http(host, isGet ? `${pathname}?${form}` : `${pathname}${search}`, {
    headers: { ...headers, ...(sends ? { 'content-type': type } : {}) },
    ...(method === undefined ? {} : { method }),
    ...(sends ? { body: form } : {}),
  });
}
