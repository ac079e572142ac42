// The list of all routes of the member API.
import { consentRoutes } from './consents.ts';
import { contentAccessRoute } from './content-access.ts';
import { explainRoute } from './explain.ts';
import { profileRoute } from './profile.ts';
import type { ApiRoute } from './route.ts';

/** Every route of the member API, in the order of the document. A new one is added here. */
export const apiRoutes: readonly ApiRoute[] = [
  profileRoute,
  contentAccessRoute,
  explainRoute,
  ...consentRoutes,
];
