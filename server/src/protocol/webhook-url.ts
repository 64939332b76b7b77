import { tooLong } from './length.ts'
import { isIpHost, isPrivateAddress } from './private-address.ts'
import { isLoopbackHost } from './redirect-uri.ts'

const maxLength = 2000

/** Names of this machine or this network, whatever DNS says (RFC 6761, RFC 6762, RFC 8375). */
const localNames = /(^|\.)(localhost|local|internal|home\.arpa)\.?$/

/**
 * What is wrong with the address of a webhook, to follow its name. The IP address of its host is checked when something
 * is sent.
 */
export function webhookUrlProblem(url: string, toPrivateAddresses: boolean): string | undefined {
  const long = tooLong(url, maxLength)
  if (long !== undefined) return long
  if (/[^\x21-\x7E]|[\\<>"{}|^`]/.test(url)) return 'holds a character that must be percent-encoded'
  if (url.includes('#')) return 'has a fragment (#…), which is never sent'
  if (!URL.canParse(url)) return 'is no absolute URL'
  const { protocol, username, password, hostname } = new URL(url)
  if (username !== '' || password !== '')
    return 'holds a user name or password; the signature proves who sends'
  if (protocol !== 'https:' && protocol !== 'http:') return 'is no https address'
  const local = localNames.test(hostname) || isLoopbackHost(hostname)
  const own = local || (isIpHost(hostname) && isPrivateAddress(hostname))
  if (own && !toPrivateAddresses) {
    return 'is a private address; set TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES=true to allow it'
  }
  if (protocol === 'http:' && (!toPrivateAddresses || (isIpHost(hostname) && !own))) {
    return 'uses http, which anybody on the way can read; use https'
  }
  return undefined
}
