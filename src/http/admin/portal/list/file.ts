// The files that lists are written as.

import type { FastifyReply } from 'fastify';
import { isFile, nameOf, type Operation } from '../../../../operations/admin/operation.ts';
import { pick, queryOf } from '../../../form.ts';
import { sendFileAnswer } from '../../call.ts';
import { kebab } from '../addresses.ts';
import { sendRefused } from '../page.ts';
import { call, callOf } from '../visit.ts';
import type { Facts, OperationVisit } from '../visitor.ts';
import { inUtc } from './query.ts';

/** GET of a file, such as an export of the audit. */
export async function sendFile(visit: OperationVisit): Promise<FastifyReply> {
  const { operation, known, reply, request } = visit;
  const names = Object.keys(operation.input.properties).filter((name) => known[name] === undefined);
  const said = pick(queryOf(request) ?? new Map(), names).values;
  try {
    const input = { ...known, ...inUtc(operation, said) };
    const answer = await call(visit, operation, input);
    if (!isFile(operation, answer)) throw new Error(`${operation.name} answers no file`);
    const { noun, verb } = nameOf(operation);
    const name = `${kebab(noun)}-${kebab(verb)}.${endingOf(operation, input)}`;
    reply.headers({
      'cache-control': 'no-store',
      'content-disposition': `attachment; filename="${name}"`,
    });
    return sendFileAnswer(reply, answer, callOf(visit, operation, input), visit.deps);
  } catch (error) {
    return sendRefused(visit, error);
  }
}

/** How the name of a file ends: with its format, where there are several to choose from. */
function endingOf({ mediaType = '', input }: Operation, { format }: Facts): string {
  const chosen = format ?? input.properties.format?.default;
  if (typeof chosen === 'string') return chosen;
  return mediaType.startsWith('application/x-ndjson') ? 'jsonl' : 'json';
}
