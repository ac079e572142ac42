/** What a form has that shows more than its fields. */

import type { Problem } from '../../../../core/problem.ts';
import type { Form } from '../../../form.ts';
import type { Facts, OperationVisit } from '../visitor.ts';
import type { FormValues } from './read.ts';

/** A form as it is shown again by a button of its own, which sends nothing. */
export interface Again {
  readonly values: FormValues;
  readonly problems: readonly Problem[];
}

/** What a form has of its own. */
export interface OwnForm {
  /** A template of its own, and a heading; null where it has none here. */
  readonly template?: string;
  title?(visit: OperationVisit): string | null;
  /** Whether it shows documents of ours in frames. */
  readonly framesOwn?: boolean;
  /** The first content of its fields, beside what is there. */
  begin?(visit: OperationVisit, values: FormValues): FormValues | Promise<FormValues>;
  /** What it shows beside its fields. */
  about?(visit: OperationVisit, values: FormValues): Facts;
  /** The form with what a button of its own does to it; null where the button that sends it was pressed. */
  again?(form: Form): Again | null;
}
