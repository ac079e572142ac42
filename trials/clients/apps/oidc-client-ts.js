// A page with oidc-client-ts and nothing of ours: the case drives its manager.
import { UserManager, WebStorageStateStore } from 'oidc-client-ts';

window.manager = new UserManager({
  ...window.settings,
  userStore: new WebStorageStateStore({ store: window.localStorage }),
});
