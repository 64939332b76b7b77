/** The places of things at each provider, in its own words, which its console has in English. */
import type { Provider } from '../upstream/providers.ts'

export interface ProviderWords {
  /** The place where one begins; left out: it depends on the provider. */
  open?: string
  /** The fields that our addresses go into. */
  redirect?: string
  /** Where it tells us by back-channel that somebody signed out. */
  logout?: string
  entityId?: string
  acs?: string
  metadata?: string
  keys?: string
  /** The places of what is copied to here. */
  issuer?: string
  client_id?: string
  client_secret?: string
  metadataUrl?: string
  /** The places where it is told what to send, and how. */
  send?: readonly string[]
  /** The provider has no groups to send. */
  hasNoGroups?: true
  /** The provider takes our metadata as a file alone. */
  takesFile?: true
  /** The issuer, where it is the same for everybody. */
  fixedIssuer?: string
  issuerExample?: string
  /** The place where provisioning is set up, and its two fields. */
  scim: readonly [open: string, url: string, token: string]
}

const scim = ['SCIM', 'Base URL', 'Bearer token'] as const

export const providerWords: Readonly<Record<Provider, ProviderWords>> = {
  entra: {
    open: 'Entra admin center › App registrations › New registration › Accounts in this organizational directory only',
    redirect: 'Redirect URI › Web',
    send: [
      'Token configuration › Add optional claim › ID › email',
      'Token configuration › Add groups claim › Groups assigned to the application › Group ID',
    ],
    issuer: 'Overview › Directory (tenant) ID',
    client_id: 'Overview › Application (client) ID',
    client_secret: 'Certificates & secrets › New client secret › Value',
    issuerExample: '6a7c4f0e-3d7b-4c55-9c0e-5b1f5a1d2e3f',
    scim: ['Enterprise applications › Provisioning › Automatic', 'Tenant URL', 'Secret Token'],
  },
  okta: {
    open: 'Applications › Create App Integration › OIDC › Web Application',
    redirect: 'Sign-in redirect URIs',
    keys: 'Client Credentials › Public key / Private key › URL',
    send: ['Sign On › OpenID Connect ID Token › Groups claim › groups › Matches regex › .*'],
    issuer: 'Sign On › OpenID Connect ID Token › Issuer',
    client_id: 'General › Client ID',
    client_secret: 'General › Client secret',
    issuerExample: 'https://acme.okta.com',
    scim: ['Applications › Provisioning › SCIM Connection', 'SCIM connector base URL', 'Bearer token'],
  },
  google: {
    open: 'Google Cloud console › Google Auth Platform › Audience: Internal › Clients › Create client › Web application',
    redirect: 'Authorised redirect URIs',
    hasNoGroups: true,
    client_id: 'Client ID',
    client_secret: 'Client secret',
    fixedIssuer: 'https://accounts.google.com',
    scim,
  },
  keycloak: {
    open: 'Clients › Create client › OpenID Connect › Client authentication: On › Standard flow',
    redirect: 'Valid redirect URIs',
    logout: 'Settings › Logout settings › Backchannel logout URL',
    keys: 'Keys › Use JWKS URL › JWKS URL',
    send: [
      'Client scopes › …-dedicated › Add mapper › By configuration › Group Membership › Token Claim Name: groups › Full group path: Off › Add to ID token: On',
    ],
    issuer: 'Realm settings › OpenID Endpoint Configuration › issuer',
    client_id: 'Settings › Client ID',
    client_secret: 'Credentials › Client Secret',
    issuerExample: 'https://sso.acme.example/realms/acme',
    scim,
  },
  'keycloak-saml': {
    open: 'Clients › Import client',
    metadata: 'Resource file',
    takesFile: true,
    send: [
      'Settings › Name ID format: persistent › Force name ID format: On › Sign assertions: On › Signature algorithm: RSA_SHA256',
      'Keys › Client signature required: On › Encrypt assertions: Off',
      'Client scopes › role_list › Remove',
      'Client scopes › …-dedicated › Add mapper › By configuration › User Property › email › SAML Attribute Name: mail › Basic',
      'Client scopes › …-dedicated › Add mapper › By configuration › Group list › Group attribute name: groups › Basic › Full group path: Off',
    ],
    metadataUrl: 'https://sso.acme.example/realms/acme/protocol/saml/descriptor',
    scim,
  },
  adfs: {
    open: 'AD FS Management › Relying Party Trusts › Add Relying Party Trust › Claims aware',
    metadata: 'Import data about the relying party published online › Federation metadata address',
    entityId: 'Relying party trust identifier',
    acs: 'Relying party SAML 2.0 SSO service URL',
    metadataUrl: 'https://adfs.acme.example/FederationMetadata/2007-06/FederationMetadata.xml',
    scim,
  },
  oidc: {
    redirect: 'Redirect URI',
    keys: 'jwks_uri',
    issuer: 'issuer',
    client_id: 'client_id',
    client_secret: 'client_secret',
    issuerExample: 'https://sso.acme.example',
    scim,
  },
  saml: {
    metadata: 'Metadata URL',
    entityId: 'Entity ID / Audience',
    acs: 'ACS URL / Recipient / Destination',
    metadataUrl: 'https://idp.acme.example/metadata',
    scim,
  },
}
