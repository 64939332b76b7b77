/** The hosts that an address of PostgreSQL names. The driver knows one, and ignores `target_session_attrs`. */

export interface Hosts {
  /** One address for each host alone, in their order. */
  urls: readonly string[]
  /** Only a host that can be written is used. */
  mustWrite: boolean
}

const several = 'postgres://USER:PASSWORD@HOST1:5432,HOST2:5432/DATABASE?target_session_attrs=read-write'

/** What is wrong with an address, as what follows the name of a setting; undefined: nothing. */
export function hostsProblem(url: string): string | undefined {
  try {
    hostsOf(url)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** An address in its parts; the authority may name several hosts, which is why it is no URL. */
export function partsOf(url: string): Record<'scheme' | 'authority' | 'path' | 'query', string> {
  const [, scheme = '', authority = '', path = '', query = ''] =
    /^([a-z]+:\/\/)([^/?#]*)([^?#]*)\??(.*)$/s.exec(url) ?? []
  return { scheme, authority, path, query }
}

/** Throws with what is wrong. It never repeats the password. */
export function hostsOf(url: string): Hosts {
  const { scheme, authority, path, query } = partsOf(url)
  const parameters = new URLSearchParams(query)
  if (parameters.get('host')?.includes(',') === true)
    throw new Error(`names several hosts in host=: write them as in ${several}`)
  const wanted = parameters.get('target_session_attrs')
  if (wanted !== null && wanted !== 'read-write' && wanted !== 'primary')
    throw new Error(
      `has target_session_attrs=${wanted}: this service writes, so it takes read-write or primary`,
    )
  const names = authority.slice(authority.lastIndexOf('@') + 1).split(',')
  if (names.length === 1) return { urls: [url], mustWrite: wanted !== null }
  const user = authority.slice(0, authority.lastIndexOf('@') + 1)
  const rest = `${path}${query === '' ? '' : `?${query}`}`
  const unreadable = names.find((name) => !URL.canParse(`http://${name}/`))
  if (unreadable !== undefined)
    throw new Error(`names the host "${unreadable}", which is none: write several hosts as in ${several}`)
  return { urls: names.map((name) => `${scheme}${user}${name}${rest}`), mustWrite: true }
}
