/** The forms that show more than their fields. */

import { uploadBytes } from '../../../../core/import/limits.ts';
import { say } from '../../../../text/portal.ts';
import { lookForm, lookName } from '../preview/look-form.ts';
import type { OperationVisit } from '../visitor.ts';
import { newClientForm } from './new/client.ts';
import { newMemberForm } from './new/member.ts';
import { newPackageForm } from './new/package.ts';
import type { OwnForm } from './own.ts';

const forms: Readonly<Record<string, OwnForm>> = {
  'clients.create': newClientForm,
  'members.create': newMemberForm,
  'packages.create': newPackageForm,
  [lookName]: lookForm,
  // Its file is sent as a whole: no field of the operation is filled in.
  'imports.upload': {
    about: () => ({
      sections: [],
      enctype: 'multipart/form-data',
      upload: uploadBytes / 1_024 ** 2,
      lead: say('upload.lead'),
    }),
  },
};

/** What the form of an operation, or of a group of its fields, has of its own; null where it is its fields alone. */
export const ownFormOf = ({ operation, part }: Pick<OperationVisit, 'operation' | 'part'>): OwnForm | null =>
  forms[part === undefined ? operation.name : `${operation.name}/${part}`] ?? null;
