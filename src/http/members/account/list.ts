// Which page of a list of the account area is asked for, and where the others are.
import { accountListLength } from '../../../core/members/limits.ts';
import type { PageOf } from '../../../operations/page.ts';
import { pageQuery } from '../../form.ts';
import type { Visit } from './page.ts';

/** The entry of a list behind which the page that was asked for begins; undefined for the first page. */
export function beforeIn({ request }: Visit): string | undefined {
  const { before = '' } = pageQuery(request, ['before']);
  return /^[A-Za-z0-9_-]{1,64}$/.test(before) ? before : undefined;
}

/** The page of a list that was asked for. */
export function accountPart(visitor: Visit): PageOf {
  const before = beforeIn(visitor);
  return { limit: accountListLength, ...(before === undefined ? {} : { before }) };
}

/** What a page of a list leads to (`members/parts/pages.eta`): null for nothing. */
export interface ListLinks {
  /** The address of this page, for its forms. */
  readonly here: string;
  readonly newest: string | null;
  readonly older: string | null;
}

/** @param next the entry behind which the next page begins; null on the last one */
export function listLinks(visitor: Visit, url: string, next: string | number | null): ListLinks {
  const before = beforeIn(visitor);
  return {
    here: before === undefined ? url : `${url}?before=${before}`,
    newest: before === undefined ? null : url,
    older: next === null ? null : `${url}?before=${next}`,
  };
}
