// What an operation is.
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
import type { PortalFace } from './portal-face.ts';

/** The schema of an operation's input: what validates it is what documents it. */
export type ObjectSchema = Schema & { readonly properties: Schemas };

/** What an operation may use. */
export interface OperationDeps {
  readonly vault: Vault;
  readonly passwords: Passwords;
  readonly random: Random;
  readonly mails: Pick<Mailer, 'queue' | 'retry'>;
  readonly tenants: Tenants;
  /** Lets readers of events wait for them. */
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
   * there may be a hundred thousand sign-ins, and an actor who compares a file need not be allowed to change anything.
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
  /** The result of its slow part, if that was done already. */
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

/** The answer of an operation that is a file. */
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
   * with every tenant may, whether the input names one or not.
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
