/** Why the service refuses to start: one line for the operator, no stack (security, promise 4). */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
