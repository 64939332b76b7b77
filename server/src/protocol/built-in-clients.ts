/**
 * The clients of the service's own pages. No registered client has such an id, whichever came first: `clientIdProblem`
 * reserves it, so no route, command or declared file can name one of these.
 */
export interface BuiltInClient {
  clientId: string
  name: string
  /** Where below the issuer a sign-in ends. */
  redirectPath: string
  /** Where below the issuer its page is, which a sign-out comes back to. */
  path: string
}

export const apiDocClient: BuiltInClient = {
  clientId: 'tessera:api-doc',
  name: 'Interface description',
  redirectPath: '/api/doc/oauth2-redirect',
  path: '/api/doc',
}

export const consoleClient: BuiltInClient = {
  clientId: 'tessera:console',
  name: 'Console',
  redirectPath: '/console/callback',
  path: '/console',
}

/** Where the trial of a client ends. */
export const tryPath = `${consoleClient.path}/try`

/** Each with the setting that says whether it is there. */
export const builtInClients = [
  { ...apiDocClient, setting: 'apiDocSignIn' },
  { ...consoleClient, setting: 'console' },
] as const

const prefix = 'tessera:'
/** In any case: people would take `Tessera:…` for one of these. */
export const isBuiltIn = (clientId: string): boolean => clientId.toLowerCase().startsWith(prefix)
/** In SQL's `like`. */
export const builtInPattern = `${prefix}%`
