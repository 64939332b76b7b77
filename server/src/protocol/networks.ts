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
