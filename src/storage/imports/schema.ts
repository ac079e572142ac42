// The rows of members who move in, and of the system that may be asked for those who come later.
import type { Import } from '../../core/import/import.ts';
import type { OldSystem } from '../../core/import/old-system.ts';
import type { Stored } from '../stored.ts';

/** Its options are a JSON text, and so are its head, its failure and its trial where they are not null. */
export interface ImportRow extends Omit<Stored<Import, 'options'>, 'head' | 'failure' | 'trial'> {
  trial: string | null;
  place: string | null;
  failure: string | null;
}

/** A line that was refused: what is wrong with it, as JSON, and nothing of what it says. */
export interface ImportRefusalRow {
  importId: string;
  line: number;
  problems: string;
}

/** The system that a tenant asks. */
export interface OldSystemRow extends OldSystem {
  /** What signs calls, sealed; null where its master key was lost. */
  secret: Buffer | null;
}

/** An address that its system is not asked for any more: it moved in, or its member was deleted. A digest under a key of the tenant. */
export interface MovedAddressRow {
  tenantId: string;
  addressHash: string;
  movedAt: number;
}

/** A part of a file that was sent, sealed, until the file was read. */
export interface ImportPartRow {
  importId: string;
  /** Where in the file it begins. */
  start: number;
  sealed: Buffer;
}
