import type { Operation } from '../../../operations/admin/operation.ts';
import { queryOf } from '../../form.ts';
import { pathFields } from './addresses.ts';
import type { Facts } from './call.ts';
import type { Visit } from './visit.ts';

/**
 * What the address of a form says: the fields of the operation's path, and behind them those of the page
 * that led here.
 */
export function knownFacts({ request, operations }: Visit, operation: Operation): Facts {
  const names = new Set(operations.flatMap((one) => pathFields(one)));
  const own = pathFields(operation);
  const query = [...(queryOf(request) ?? [])].flatMap(([name, [value]]) =>
    names.has(name) && !own.includes(name) && value !== undefined && value !== '' ? [[name, value]] : [],
  );
  return { ...Object.fromEntries(query), ...(request.params as Facts) };
}

/** The fields of an operation's path alone. */
export function pathOf(operation: Operation, known: Facts): Facts {
  return Object.fromEntries(
    pathFields(operation).flatMap((name) => (known[name] === undefined ? [] : [[name, known[name]]])),
  );
}
