/** What the token of a form is sealed with (`formToken`). */
export const formValue = (purpose: string, carried?: unknown) => [
  purpose,
  'a form of a test',
  ...(carried === undefined ? [] : [carried]),
];
