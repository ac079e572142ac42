// A page with react-oidc-context: it shows what the library says, and has a button for each thing that it does.
import { createElement as h } from 'react';
import { createRoot } from 'react-dom/client';
import { AuthProvider, useAuth } from 'react-oidc-context';

function App() {
  const auth = useAuth();
  if (auth.isLoading) return h('p', null, 'Loading');
  if (auth.error) return h('p', { id: 'error' }, auth.error.message);
  if (!auth.isAuthenticated)
    return h('button', { type: 'button', id: 'in', onClick: () => auth.signinRedirect() }, 'Sign in');
  return h(
    'div',
    null,
    h('p', { id: 'name' }, auth.user.profile.name),
    h('p', { id: 'token' }, auth.user.access_token),
    h('button', { type: 'button', id: 'renew', onClick: () => auth.signinSilent() }, 'Renew'),
    h('button', { type: 'button', id: 'out', onClick: () => auth.signoutRedirect() }, 'Sign out'),
  );
}

const onSigninCallback = () => window.history.replaceState({}, document.title, '/');
createRoot(document.getElementById('root')).render(
  h(AuthProvider, { ...window.settings, onSigninCallback }, h(App)),
);
