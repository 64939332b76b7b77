const problem =
  'holds a user or password with a character that ends it: percent-encode both, @ as %40, / as %2F, ? as %3F, # as %23, % as %25'

/** A host, with its port. */
const host = /^(\[[^\]]*\]|[^:[\]]*)(:\d*)?$/

/**
 * What is wrong with how an address holds user and password (RFC 3986 §3.2.1); undefined: nothing. It shows no part of
 * the address: what seems to be the host may be the end of a password.
 */
export function userInfoProblem(address: string): string | undefined {
  const [, authority = '', path = '', query = '', fragment = ''] =
    /^[a-z]+:\/\/([^/?#]*)([^?#]*)([^#]*)(.*)$/s.exec(address) ?? []
  const parts = authority.split('@')
  const isSplit =
    parts.length === 2 || (parts.length === 1 && authority.split(',').every((one) => host.test(one)))
  // The value of a parameter may hold an @.
  const follows = `${path}${query.split('=', 1).join()}${fragment}`
  const isEncoded = !/%(?![\da-f]{2})/i.test(authority)
  return isSplit && isEncoded && !follows.includes('@') ? undefined : problem
}
