/** The fields of a form that take a picture as a file. */

import { type PictureKind, pictureRules } from '../../../../core/members/limits.ts';
import { tenantPictures } from '../../../../core/members/picture.ts';
import type { Operation } from '../../../../operations/admin/operation.ts';
import { type Shown, shownOf } from '../values.ts';
import type { Facts } from '../visitor.ts';
import { type FormValues, lastOf } from './read.ts';

/** What a field for a picture shows: the one that is there, and the one that was sent and is not kept yet. */
export interface Picture {
  readonly kept: Shown;
  readonly sent: Shown;
  /** Whether one was sent that is too large to come along, and has to be chosen again. */
  readonly isLost: boolean;
  /** The types of files that it takes. */
  readonly accept: string;
  /** What its file may weigh, and how wide and high it may be. */
  readonly bytes: number;
  readonly pixels: number;
}

const none: Shown = { kind: 'none' };

/** The field for a picture. @param present what there is before anything is changed */
export function pictureIn(
  name: string,
  operation: Pick<Operation, 'name'>,
  values: FormValues,
  present: Facts | null,
): Picture {
  const { length, pixels, types } = pictureRules[pictureKindOf(operation, name)];
  const schema = { format: 'picture' };
  const said = lastOf(schema, values.get(name) ?? []);
  // What is larger than a logo would weigh more than the page that carries it along.
  const isLost = said.length > pictureRules.logo.length;
  return {
    kept: shownOf(present?.[name], schema),
    sent: isLost ? none : shownOf(said, schema),
    isLost,
    accept: types.map((type) => `image/${type}`).join(','),
    bytes: fileBytes(length),
    pixels,
  };
}

/** A client has a picture of its own; the others are the tenant's, by the names of their fields. */
function pictureKindOf({ name }: Pick<Operation, 'name'>, field: string): PictureKind {
  const found = tenantPictures.find((kind) => kind === field);
  return found === undefined || name.startsWith('clients.') ? 'clientLogo' : found;
}

/** How large a file may be that a `data:` URI of so many characters can hold: base64 makes four of three. */
const fileBytes = (length: number) => Math.floor(((length - 'data:image/svg+xml;base64,'.length) * 3) / 4);
