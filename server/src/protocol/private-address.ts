import { BlockList, isIP, isIPv4 } from 'node:net'

/** Which IP addresses are public (the special-purpose registries, RFC 6890). An unknown one counts as private. */

const special = new BlockList()
for (const [network, bits] of [
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
] as const)
  special.addSubnet(network, bits)
// Teredo, benchmarks and ORCHID; documentation, twice; 6to4, which wraps IPv4 addresses.
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20],
  ['2002::', 16],
] as const)
  special.addSubnet(network, bits, 'ipv6')

/** The global unicast addresses of IPv6: nothing outside is public. */
const unicast = new BlockList()
unicast.addSubnet('2000::', 3, 'ipv6')

/** Whether an IP address, from a DNS look-up or a URL, is not public. */
export function isPrivateAddress(address: string): boolean {
  const bare = address.replace(/^\[|\]$/g, '')
  const family = isIP(bare)
  if (family === 4) return special.check(bare)
  // A zone names an interface of this machine.
  if (family === 0 || bare.includes('%')) return true
  return !unicast.check(bare, 'ipv6') || special.check(bare, 'ipv6')
}

/** Whether the host of a parsed URL is an IP address; the URL parser normalises every form of one. */
export const isIpHost = (hostname: string): boolean => hostname.startsWith('[') || isIPv4(hostname)
