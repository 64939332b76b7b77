/** The providers whose words the guide of a set-up link speaks, and how each signs people in. */
export const providers = {
  entra: { name: 'Microsoft Entra ID', kind: 'oidc' },
  okta: { name: 'Okta', kind: 'oidc' },
  google: { name: 'Google Workspace', kind: 'oidc' },
  keycloak: { name: 'Keycloak', kind: 'oidc' },
  'keycloak-saml': { name: 'Keycloak (SAML 2.0)', kind: 'saml' },
  adfs: { name: 'AD FS', kind: 'saml' },
  oidc: { name: 'OpenID Connect', kind: 'oidc' },
  saml: { name: 'SAML 2.0', kind: 'saml' },
} as const satisfies Record<string, { name: string; kind: 'oidc' | 'saml' }>

export type Provider = keyof typeof providers
export const providerNames = Object.keys(providers) as Provider[]
