// A page with angular-auth-oidc-client: it shows what the library says, and has a button for each thing that it does.
import '@angular/compiler';
import { provideHttpClient } from '@angular/common/http';
import { ChangeDetectorRef, Component, inject, provideZonelessChangeDetection } from '@angular/core';
import { bootstrapApplication } from '@angular/platform-browser';
import { OidcSecurityService, provideAuth } from 'angular-auth-oidc-client';

/** Written without decorators, which a bundler alone does not know. */
class App {
  security = inject(OidcSecurityService);
  changes = inject(ChangeDetectorRef);
  name = '';
  token = '';
  isReady = false;

  ngOnInit() {
    this.security.checkAuth().subscribe((answer) => this.show(answer));
  }

  show({ isAuthenticated, userData, accessToken }) {
    this.isReady = true;
    this.name = isAuthenticated ? userData.name : '';
    this.token = accessToken ?? '';
    this.changes.markForCheck();
  }

  signIn() {
    this.security.authorize();
  }

  renew() {
    this.security.forceRefreshSession().subscribe((answer) => this.show(answer));
  }

  signOut() {
    this.security.logoff().subscribe();
  }
}

const template = `
@if (isReady && !name) { <button id="in" (click)="signIn()">Sign in</button> }
@if (name) {
  <p id="name">{{ name }}</p><p id="token">{{ token }}</p>
  <button id="renew" (click)="renew()">Renew</button>
  <button id="out" (click)="signOut()">Sign out</button>
}`;

bootstrapApplication(Component({ selector: 'app-root', template })(App), {
  providers: [
    provideZonelessChangeDetection(),
    provideHttpClient(),
    provideAuth({ config: window.settings }),
  ],
});
