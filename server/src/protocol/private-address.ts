/** Which IP addresses are public (the special-purpose registries, RFC 6890). An unknown one counts as private. */

/** IPv4 networks that are not public, as their first address and the length of their prefix. */
const privateNetworks = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const

/** Whether an IP address, from a DNS look-up or a URL, is not public. */
export function isPrivateAddress(address: string): boolean {
  const bare = address.replace(/^\[|\]$/g, '')
  if (bare.includes(':')) return isPrivateIpv6(bare)
  const number = ipv4(bare)
  return number === undefined || privateNetworks.some(([first, bits]) => within(number, first, bits))
}

/** Whether the host of a parsed URL is an IP address; the URL parser normalises every form of one. */
export function isIpHost(hostname: string): boolean {
  return hostname.startsWith('[') || ipv4(hostname) !== undefined
}

function ipv4(text: string): number | undefined {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return undefined
  const bytes = text.split('.').map(Number)
  return bytes.every((byte) => byte < 256) ? bytes.reduce((sum, byte) => sum * 256 + byte, 0) : undefined
}

function within(number: number, first: string, bits: number): boolean {
  const size = 2 ** (32 - bits)
  return Math.floor(number / size) === Math.floor((ipv4(first) ?? 0) / size)
}

/**
 * Only 2000::/3 is public. In it, networks that wrap an IPv4 address (6to4, Teredo) or are reserved count as private, as
 * do IPv4-mapped addresses.
 */
function isPrivateIpv6(text: string): boolean {
  const [head, second = 0] = groupsOf(text) ?? []
  if (head === undefined || head < 0x2000 || head > 0x3f_ff) return true
  // 2001::/23 (Teredo, benchmarks, ORCHID), 2001:db8::/32 and 3fff::/20 (documentation), 2002::/16 (6to4).
  if (head === 0x2001) return second < 0x200 || second === 0xdb8
  return head === 0x2002 || (head === 0x3fff && second < 0x1000)
}

/** The first two groups of an IPv6 address; undefined when it is none, or has a zone. */
function groupsOf(text: string): [number, number] | undefined {
  if (text.includes('%') || !URL.canParse(`http://[${text}]/`)) return undefined
  const usual = new URL(`http://[${text}]/`).hostname.slice(1, -1)
  const [left = ''] = usual.split('::')
  const [first = '0', second = '0'] = left.split(':')
  return [Number.parseInt(first || '0', 16), Number.parseInt(second || '0', 16)]
}
