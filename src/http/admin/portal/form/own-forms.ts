/** The forms that show more than their fields. */

import type { OperationVisit } from '../visitor.ts';
import { newClientForm } from './new-client.ts';
import { newPackageForm } from './new-package.ts';
import type { OwnForm } from './own.ts';

const forms: Readonly<Record<string, OwnForm>> = {
  'clients.create': newClientForm,
  'packages.create': newPackageForm,
};

/** What the form of an operation has of its own; null where it is its fields alone. */
export const ownFormOf = ({ operation }: Pick<OperationVisit, 'operation'>): OwnForm | null =>
  forms[operation.name] ?? null;
