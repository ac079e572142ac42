// What the portal needs to know of an operation: its page, its form, its buttons.

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
  /** What can be done to several of its entries at once: operations that take the name of one and nothing else. */
  readonly bulk?: readonly string[];
  /** How it is paged: what of its last entry the next page takes, and in which field. */
  readonly pagedBy?: EntryName;
}

/** A list on the page of one thing, by what the list's own page says of it where it has one. */
interface PartFace extends Pick<ListFace, 'columns' | 'entry'> {
  /** The operation whose page has this list alone. */
  readonly list?: string;
}

/** Some fields of a form under one heading. */
export interface FieldGroup {
  /** The part of its keys in the catalogue of the portal. */
  readonly name: string;
  readonly fields: readonly string[];
  /** Whether it is folded at first, since few need it. */
  readonly isFolded?: true;
  /** Whether it has a page of its own too, which leads to these fields alone. */
  readonly isPage?: true;
}

/** What takes an operation back. */
export interface Undo {
  /** The operation that takes it back. */
  readonly by: string;
  /** For each value of a field, the value that takes it back; other values cannot be taken back. */
  readonly says?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Buttons that say a field of their operation themselves, each for some things; their words are `press.<name>.<value>`. */
export interface Presses {
  readonly field: string;
  readonly values: readonly { readonly value: string; readonly fits: (thing: Thing) => boolean }[];
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
   * For an operation that makes something new it is the thing below which that is made. The audit compares with it too.
   */
  readonly reads?: string;
  /** The properties of that thing which fields of the form have under another name. */
  readonly readsAs?: Readonly<Record<string, string>>;
  /** Whether its title names a part of what it is about: "Send password reset", for Ada, but "Unlock" Ada. */
  readonly titledFor?: true;
  /** The page that shows what came of it, where that is not the page that led to it. */
  readonly lands?: string;
  /**
   * The fields of its form under headings, in their order. What makes something asks for these alone, and the rest is
   * set later; what changes something has the fields of no group behind them.
   */
  readonly groups?: readonly FieldGroup[];
  /** The field whose choices are cards, each with a few words of what it is. */
  readonly cards?: string;
  /**
   * The fields of its form, or of its page, that are not for a thing as it is: a public client has no secret to prove itself
   * by.
   */
  readonly without?: (thing: Thing) => readonly string[];
  /** The lists that offer the choices of fields. */
  readonly choices?: Readonly<Record<string, string>>;
  /**
   * What it ends (pages 22). `forGood` cannot be undone: its form says what ends, and asks for the name of it. `forNow`
   * comes back in the ordinary way, such as a sign-in: its form asks, and no name; so it does of several at once.
   */
  readonly ends?: 'forGood' | 'forNow';
  /** The values of its fields that end something for good: then a second page asks, and for the name. */
  readonly endsIf?: Readonly<Record<string, readonly unknown[]>>;
  /** How much ends with the thing that its form reads, for the words of the portal (`ending.<name>`). */
  readonly endsWith?: (thing: Thing) => Readonly<Record<string, number>>;
  /** What takes it back: the page after it offers that as "Undo". */
  readonly undo?: Undo;
  /** Whether its button is the first of the page, where it fits: what the page waits for. */
  readonly isMain?: true;
  /** The page of a group of fields that has its button too. */
  readonly part?: string;
  /** The property that the heading of its page says; a name where it is left out. */
  readonly headed?: string;
  /** Whether its button does it, with no form in between: what can be undone, or takes nothing away. */
  readonly atOnce?: true;
  /** The buttons that stand for it, in the place of one that leads to its form. */
  readonly presses?: Presses;
  /** Whether it is offered for a thing as it is: what is off cannot be turned off. */
  readonly fits?: (thing: Thing) => boolean;
  /** What its button and its heading say, where its noun and verb do not. */
  readonly label?: string;
  /** How the next page says what was done, where noun and verb do not say it. */
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
