// What an operation is, and what the portal needs to know of it.
import type { Actor, Permission } from '../../core/operators/permission.ts';
import type { SentRequest } from '../../core/refusals/sent.ts';
import type { Passwords } from '../../secrets/password.ts';
import type { Vault } from '../../secrets/vault.ts';
import type { CallsUnderWay } from '../../storage/memory/calls-under-way.ts';
import type { Counters } from '../../storage/memory/rate-limit.ts';
import type { Tx } from '../../storage/store.ts';
import type { Random } from '../../system/random.ts';
import type { EventWaiting } from '../events/waiting.ts';
import type { Schema, Schemas } from '../json-schema.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { PlaceOf } from '../session/geolocation.ts';
import type { OpenTenant, Tenants } from '../tenant/open-tenants.ts';

/** The schema of an operation's input: what validates it is what documents it. */
export type ObjectSchema = Schema & { readonly properties: Schemas };

/** What an operation may use. */
export interface OperationDeps {
  readonly vault: Vault;
  readonly passwords: Passwords;
  readonly random: Random;
  readonly mails: Pick<Mailer, 'queue' | 'retry'>;
  readonly tenants: Tenants;
  /** Lets who reads events wait for them. */
  readonly events: Pick<EventWaiting, 'waitFor'>;
  /** Which calls with a key are under way; left out where none comes with one. */
  readonly callsUnderWay?: CallsUnderWay;
  /** Counts mails by the address that they go to; left out where nothing is remembered between calls. */
  readonly mailCounters?: Pick<Counters, 'take' | 'giveBack'>;
  /** When the service was backed up last (ms); 0 if never, null where it is not this service that is backed up. */
  readonly backedUpAt: () => number | null;
  /** The place of an address, in a language; null where it is not known. */
  readonly placeOf: PlaceOf;
  /** What a development tenant remembers of a request, by its reference; left out where nothing is remembered. */
  readonly sentUnder?: (tenantId: string, reference: string) => SentRequest | null;
  readonly now: number;
}

/** Who does something, and on which tenant. */
export interface PreparationContext extends OperationDeps {
  readonly actor: Actor;
  /** The tenant that the input names, as it was before; null where it names none. */
  readonly tenant: OpenTenant | null;
  /**
   * Whether all that is done is taken back. What ends with a change and can be refused by nothing is left alone then:
   * there may be a hundred thousand sign-ins, and who compares a file need not be allowed to change anything.
   */
  readonly isTrial: boolean;
}

/** Where an operation runs: in one transaction, for an actor who may, on a tenant or on the service. */
export interface OperationContext extends PreparationContext {
  readonly tx: Tx;
  /** Finds another operation of the table, those of tenant files alone too. @throws if there is none */
  readonly operationOf: (name: string) => Operation;
  /**
   * Runs one as a part of this one, in its transaction, with a line of the audit of its own.
   *
   * @throws OperationRefused; this one is to fail with it then
   */
  readonly runPart: (part: OperationPart) => Promise<object>;
}

/** An operation as a part of another one. What who calls may do is looked at by that one. */
export interface OperationPart extends Pick<PreparationContext, 'tenants' | 'tenant'> {
  readonly operation: Operation;
  readonly input: Readonly<Record<string, unknown>>;
  /** What is slow of it, if it was done already. */
  readonly prepared?: unknown;
}

/** The answer of an operation that is a file: all of it, or its first part. */
export interface FileAnswer {
  readonly text: string;
  /** Reads the next part, in a transaction of its own; left out at the end. @throws StorageUnavailable */
  readonly more?: (context: OperationContext) => Promise<FileAnswer>;
}

/** The noun and the verb of an operation's name. */
export function nameOf({ name }: Pick<Operation, 'name'>): { readonly noun: string; readonly verb: string } {
  const [noun = '', verb = ''] = name.split('.');
  return { noun, verb };
}

/** The fields of an operation's path. */
export const pathFields = ({ path }: Pick<Operation, 'path'>): readonly string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name));

/** The media type of a file that an operation answers to an input. */
export function mediaTypeOf(
  { mediaType, formats }: Pick<Operation, 'mediaType' | 'formats'>,
  { format }: Readonly<Record<string, unknown>>,
): string {
  const chosen = formats !== undefined && typeof format === 'string' ? formats[format] : undefined;
  return chosen ?? String(mediaType);
}

/** What an operation answered, where it is a file. */
export function isFile(operation: Pick<Operation, 'mediaType'>, answer: object): answer is FileAnswer {
  return operation.mediaType !== undefined && 'text' in answer;
}

/**
 * Something that an administrator, a token or the command can do. The portal, the admin API and the command line
 * are three faces of this one table, so what one can do the others can.
 */
export interface Operation<Input = unknown, Prepared = unknown> {
  /** Noun and verb, such as `clients.create`: the words of the command, and the operationId of the API. */
  readonly name: string;
  /** One line, for the help text and the OpenAPI document. */
  readonly summary: string;
  readonly permission: Permission;
  /**
   * `tenant`: its administrators may; the input then has a field `tenant`, an id or a host. `system`: only
   * who has every tenant may, whether the input names one or not.
   */
  readonly reach: 'system' | 'tenant';
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api/v1/admin`; `{name}` is a field of the input. */
  readonly path: string;
  /** The fields of path, query and body together: no two of them bear one name. */
  readonly input: ObjectSchema;
  /** How large its body may be, if 16 KiB are not enough: `fileBodyBytes`, `pictureBodyBytes`. */
  readonly bodyBytes?: number;
  /** How often one caller may call it in a minute, where it costs much; the machine itself may at any time. */
  readonly callsPerMinute?: number;
  /** What it answers, for the OpenAPI document and its tests. */
  readonly output: Schema;
  /** The media type where the answer is a file: `{text}`, or a `FileAnswer` where it may be long. */
  readonly mediaType?: string;
  /** The media types of a file that is written in several formats, by the value of the input's `format`. */
  readonly formats?: Readonly<Record<string, string>>;
  /** What such a file holds, for the OpenAPI document; a text where it is left out. */
  readonly fileSchema?: Schema;
  /** Whether it may not go with what is there, though it changes nothing. */
  readonly mayConflict?: true;
  /** The field of the answer that names what was made, for the audit: the path cannot name it yet. */
  readonly made?: string;
  /** Whether it changes something: then it stands in the audit, and tenants are read anew. */
  readonly acts: boolean;
  /** Whether it is a step of an act that is told as a whole: then it has no line of the audit by itself. */
  readonly isStep?: true;
  /** Whether what it does is only tried: the answer tells of it, and its transaction is taken back. */
  readonly isTrial?: boolean;
  /** What the portal needs to know of it; what no portal shows says what it reads alone, for the audit. */
  readonly portal?: PortalFace;
  /**
   * The thing that it changes, as it is now, for what the audit says of the change: where what `portal.reads` names
   * does not find it, or reads more.
   */
  readonly present?: (context: OperationContext, input: Input) => Promise<object>;
  /** Whether the audit tells of it though it changes nothing: whose data went where. */
  readonly audited?: boolean;
  /** What is slow – keys, hashes – is done before the transaction. */
  readonly prepare?: (input: Input, context: PreparationContext) => Promise<Prepared>;
  /**
   * @throws OperationRefused
   */
  readonly run: (context: OperationContext, input: Input, prepared: Prepared) => Promise<object>;
}

/** The table holds operations of every input; each is called with what its own schema let through. */
export function defineOperation<Input, Prepared = undefined>(
  operation: Operation<Input, Prepared>,
): Operation {
  return operation as unknown as Operation;
}

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
interface PortalFace {
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
