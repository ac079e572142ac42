import { requestOf } from '../../../src/cli/connection.ts';
import { fieldsOf } from '../../../src/cli/fields.ts';
import { wordsOf } from '../../../src/cli/words.ts';
import type { Operation } from '../../../src/operations/admin/operation.ts';
import type { TestService } from '../service.ts';
import { adminToken, callApi } from './api.ts';
import { command } from './command.ts';

type Input = Readonly<Record<string, unknown>>;

/** One of the ways in which an operation can be called. */
export interface Face {
  readonly name: string;
  /** The actor in the audit. */
  readonly actorKind: string;
  /** @throws if it was refused */
  call(operation: Operation, input: Input): Promise<object>;
}

/** The admin API, with a token for everything. */
export async function restFace(service: TestService, host: string): Promise<Face> {
  const token = await adminToken(service);
  return {
    name: 'the admin API',
    actorKind: 'token',
    call: async (operation, input) => {
      const { method, path, body } = requestOf(operation, input);
      const call = { method, path, token, host, ...(body === null ? {} : { body }) };
      const answer = await callApi(service, call);
      if (answer.status !== 200) throw new Error(`${operation.name}: ${answer.status} ${answer.text}`);
      return operation.mediaType === undefined ? answer.json<object>() : { text: answer.text };
    },
  };
}

/** The command, through the local socket of the service. */
export function commandFace(service: TestService): Face {
  return {
    name: 'the command',
    actorKind: 'operator',
    call: async (operation, input) => {
      const { words, secret } = writtenOut(operation, input);
      const said = await command(service.folder, [...wordsOf(operation), ...words, '--json'], {
        input: secret,
      });
      if (said.code !== 0) throw new Error(`${operation.name}: ${said.code} ${said.err}`);
      return JSON.parse(said.out) as object;
    },
  };
}

/** An input as an operator writes it; a secret comes over the standard input. */
function writtenOut(
  { input: schema }: Operation,
  input: Input,
): { words: readonly string[]; secret: string } {
  let secret = '';
  const words = fieldsOf(schema).flatMap(({ name, option, kind, ofObjects }) => {
    const value = input[name];
    if (value === undefined) return [];
    if (value === null || value === false) return [`--no-${option}`];
    if (value === true) return [`--${option}`];
    if (kind === 'secret') {
      secret = `${value}\n`;
      return [`--${option}`, '-'];
    }
    if (kind === 'json') return [`--${option}`, JSON.stringify(value)];
    const values = Array.isArray(value) ? value : [value];
    if (kind === 'list' && values.length === 0) return [`--no-${option}`];
    return values.flatMap((one) => [`--${option}`, ofObjects ? JSON.stringify(one) : String(one)]);
  });
  return { words, secret };
}
