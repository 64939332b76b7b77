/**
 * The clients that come along. No registered client has such an id, whichever came first: `clientIdProblem` reserves it,
 * so no route, command or declared file can name one of these.
 */
export interface BuiltInClient {
  clientId: string
  name: string
}

/** The client of one of the service's own pages. */
export interface PageClient extends BuiltInClient {
  /** The path below the issuer at which a sign-in ends. */
  redirectPath: string
  /** The path of its page below the issuer, which a sign-out comes back to. */
  path: string
}

export const apiDocClient: PageClient = {
  clientId: 'tessera:api-doc',
  name: 'Interface description',
  redirectPath: '/api/doc/oauth2-redirect',
  path: '/api/doc',
}

export const consoleClient: PageClient = {
  clientId: 'tessera:console',
  name: 'Console',
  redirectPath: '/console/callback',
  path: '/console',
}

/** The client of `tessera login`, which listens on some port of somebody's machine. */
export const commandClient = {
  clientId: 'tessera:command',
  name: 'Tessera command line',
  redirectUri: 'http://127.0.0.1/callback',
} as const satisfies BuiltInClient & { redirectUri: string }

/** The page at which the trial of a client ends. */
export const tryPath = `${consoleClient.path}/try`

const prefix = 'tessera:'
/** Compares in any case: people would take `Tessera:…` for one of these. */
export const isBuiltIn = (clientId: string): boolean => clientId.toLowerCase().startsWith(prefix)
/** The pattern of `like` in SQL that finds these clients. */
export const builtInPattern = `${prefix}%`
