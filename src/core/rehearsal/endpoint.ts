/** What is asked, in a word; `page` is every hosted page, `unknown` an address below /api/ where there is nothing. */
export const endpoints = [
  'authorization',
  'device',
  'discovery',
  'introspection',
  'keys',
  'logout',
  'member_api',
  'page',
  'par',
  'registration',
  'revocation',
  'token',
  'unknown',
  'userinfo',
] as const;
export type Endpoint = (typeof endpoints)[number];
