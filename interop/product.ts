/** How a product is installed, at which version, and where its application does what. */

export interface Product {
  /** The name of its recipe, and of its folder in `apps` where it has one. */
  name: string
  /** Packages by registry; the first is the product itself, whose version the recipe names. */
  npm?: readonly string[]
  pip?: readonly string[]
  /** Modules that it is made with, and a command that is one itself. */
  go?: readonly string[]
  command?: string
  cargo?: readonly string[]
  maven?: string
  deb?: readonly string[]
  /** A folder of `apps` that it has before its own. */
  base?: string
  /** The files that its settings are pasted into, in their order. */
  pasted: readonly string[]
  /** What is run before it starts. */
  build?: readonly (readonly string[])[]
  start: readonly string[]
  /** Further options of `client create`. */
  options?: readonly string[]
  /** Its recipe asks where the MCP server is. */
  at?: 'audience'
  /** Its environment, beside what all have. */
  environment?: Readonly<Record<string, string>>
  paths: Paths
  /** The page that says it is up, where that is not `/`. */
  up?: string
  note?: string
}

/** Where its application does it; left out: it can't. */
export interface Paths {
  login: string
  /** What to press first. */
  press?: string
  /** Shows the `sub`, address or name of who is signed in. */
  who: string
  /** What to press there. */
  whoPress?: string
  refresh?: string
  call?: string
  logout?: string
  logoutPress?: string
  /** `itself`: who signs out of it is still signed in here. */
  leaves?: 'here' | 'itself'
}

/** What several start by: a file that their settings are pasted into, or commands that are. */
export const app = 'app.mjs'
export const node = { start: ['node', app] }
export const shell = 'pasted.sh'
export const typed = ['sh', '-e', shell]
