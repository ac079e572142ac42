// A page with keycloak-js: it shows what the library says, and has a button for each thing that it does.
import Keycloak from 'keycloak-js';

const { redirectUri, postLogoutRedirectUri, scope, ...settings } = window.settings;
const keycloak = new Keycloak(settings);
const root = document.getElementById('root');
const login = () => keycloak.login({ redirectUri, scope });

function add(id, name, text, onclick) {
  root.append(Object.assign(document.createElement(name), { id, textContent: text, onclick }));
}

if (await keycloak.init({ responseMode: 'query', checkLoginIframe: false, pkceMethod: 'S256' })) {
  const { name } = await keycloak.loadUserInfo();
  add('token', 'p', keycloak.token);
  add('renew', 'button', 'Renew', login);
  add('out', 'button', 'Sign out', () => keycloak.logout({ redirectUri: postLogoutRedirectUri }));
  add('name', 'p', name);
} else {
  add('in', 'button', 'Sign in', login);
}
