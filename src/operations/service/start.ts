// How a start differs from that of `memberdoor start`, for the commands that ask for it.
import type { Call } from '../admin/call.ts';
import type { Examples } from '../development/load.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';

/** Runs an operation at the machine itself. @throws OperationRefused */
export type Operate = (call: Pick<Call, 'input' | 'operation'>) => Promise<object>;

export interface StartOptions {
  /** Which example tenants a new development service gets; all unless given. */
  readonly examples?: Examples;
  /** What is done before it answers, by operations. */
  readonly begin?: (operate: Operate) => Promise<void>;
  /** Where its log goes; to the standard output unless given. */
  readonly logTo?: 'output' | 'errors';
  /** Says that it answers; a banner and a line do unless given. @param tenants all that it has */
  readonly announce?: (tenants: readonly OpenTenant[]) => void;
}
