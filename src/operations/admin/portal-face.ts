/** What the portal needs to know of an operation beyond its schemas: each says it itself, and nothing is guessed. */

/** A thing as an operation answers it. */
export type Thing = Readonly<Record<string, unknown>>;

/** How an entry of a list is named in the addresses of other operations. */
export interface EntryName {
  /** The field of their paths and inputs. */
  readonly field: string;
  /** The property of the entry that has its value. */
  readonly key: string;
}

/** A list on a page of its own. */
export interface ListFace {
  /** Its heading, and what the menu calls it. */
  readonly title: string;
  /** What it is for, in one sentence; the summary of its operation where it is left out. */
  readonly lead?: string;
  /** The properties that it shows; the first ones that fit where they are left out. */
  readonly columns?: readonly string[];
  readonly entry?: EntryName;
  /** The operation that reads an entry for a page of its own. */
  readonly opens?: string;
}

/** A list on the page of one thing, by what the list's own page says of it where it has one. */
export interface PartFace extends Pick<ListFace, 'columns' | 'entry'> {
  /** The operation whose page has this list alone. */
  readonly list?: string;
}

/** Where an operation stands in the portal. Operations are named as in the table. */
export interface PortalFace {
  /** What the page of a list shows. */
  readonly list?: ListFace;
  /** The lists on the page of one thing, by the names of its properties. */
  readonly parts?: Readonly<Record<string, PartFace>>;
  /** The pages that lead to a form or a file; the way back leads to the first. */
  readonly page?: string | readonly string[];
  /**
   * What a form reads before it changes anything: the operation that answers the thing, or the list that has it.
   * Of what makes something new it is the thing below which that is made. The audit compares with it too.
   */
  readonly reads?: string;
  /** The properties of that thing which fields of the form have under another name. */
  readonly readsAs?: Readonly<Record<string, string>>;
  /** The page that shows what came of it, where that is not the page that led to it. */
  readonly lands?: string;
  /** The lists that offer the choices of fields. */
  readonly choices?: Readonly<Record<string, string>>;
  /** Whether it ends something. */
  readonly ends?: true;
  /** The values of its fields with which it ends something: then it asks once more. */
  readonly endsIf?: Readonly<Record<string, readonly unknown[]>>;
  /** Whether it is offered for a thing as it is: what is off cannot be turned off. */
  readonly fits?: (thing: Thing) => boolean;
  /** What its button and its heading say, where its noun and verb do not. */
  readonly label?: string;
  /** What the next page says that was done, where its noun and verb do not. */
  readonly done?: string;
  /** A warning for those whose portal is on the domain of the very tenant. */
  readonly homeWarning?: string;
  /** Its answer is a list of changes, which has a page of its own. */
  readonly tellsChanges?: true;
  /** The operation that does what this one compared. */
  readonly doneBy?: string;
}

/** The names of the pages that lead to a form or a file. */
export function pagesOf({ portal = {} }: { readonly portal?: PortalFace }): readonly string[] {
  return [portal.page ?? []].flat();
}

/** Whether something has not happened to a thing: `disabledAt` is null. */
export const isNotYet = (field: string) => (thing: Thing) => typeof thing[field] !== 'string';

/** Whether something has happened to a thing. */
export const isSince = (field: string) => (thing: Thing) => typeof thing[field] === 'string';
