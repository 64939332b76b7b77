import { BlockList, isIP } from 'node:net'

/** Whether a text is an address, or one with the length of its prefix. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  if (isIP(address) === 0 || more.length > 0) return false
  if (bits === undefined) return true
  try {
    within([text])
    return /^\d+$/.test(bits)
  } catch {
    return false
  }
}

/** Whether a text is the address of a server, with or without a port; one of IPv6 before a port is in brackets. */
export function isDnsServer(text: string): boolean {
  const [, six = '', four = '', port = '53'] = /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  return isIP(text) === 6 || ((isIP(six) === 6 || isIP(four) === 4) && Number(port) <= 65_535)
}

/** Whether addresses are within these networks. */
export function within(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const one of networks) {
    const [address = '', bits] = one.split('/')
    if (bits === undefined) list.addAddress(address, familyOf(address))
    else list.addSubnet(address, Number(bits), familyOf(address))
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address))
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')
