import { verify } from 'node:crypto'
import { UpstreamRefusal } from './refusal.ts'
import { type CheckedResponse, exclusive, saml } from './saml-checks.ts'
import { within, type XmlElement } from './saml-xml.ts'

const signedInfo = /<((?:[\w.-]+:)?SignedInfo)[\s>][^]*?<\/\1\s*>/g
const tag = /<(\/?)([\w.:-]+)((?:\s+[\w.:-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>/g
const attribute = /\s+([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

/**
 * The certificates whose keys signed the response: of each signature, the one that fits its SignedInfo. The library goes
 * through the whole document for each certificate before it looks at the key, so nobody without the key gets that far.
 * What the SignedInfo says of the document is left to the library.
 */
export function signersOf({ xml, response }: CheckedResponse, certificates: readonly string[]): string[] {
  const signatures = [...within(response)].filter(({ name }) => name === 'Signature')
  // No comment and no text has a tag in it, so each match is the SignedInfo of one signature, in their order.
  const infos = [...xml.matchAll(signedInfo)].map(([info]) => Buffer.from(canonical(info)))
  return signatures.map((signature, at) => {
    const info = infos[at]
    const [hash, value] = [hashOf(signature), textOf(signature, 'SignatureValue')]
    const found = info && certificates.find((one) => verify(hash, info, one, Buffer.from(value, 'base64')))
    if (found === undefined)
      throw new UpstreamRefusal(
        'signature',
        'No certificate of the provider fits the signature. Read its metadata again.',
      )
    return found
  })
}

function part(signature: XmlElement, name: string): XmlElement | undefined {
  return [...within(signature)].find((one) => one.name === name)
}

const textOf = (signature: XmlElement, name: string): string => part(signature, name)?.text ?? ''

const hashOf = (signature: XmlElement): string =>
  part(signature, 'SignatureMethod')?.attributes.get('Algorithm')?.endsWith('sha512') ? 'sha512' : 'sha256'

/** Exclusive canonicalisation of a SignedInfo, whose few elements have plain attributes. */
function canonical(info: string): string {
  const [, own = ''] = /^<(?:([\w.-]+):)?/.exec(info) ?? []
  const text = info.replaceAll(
    tag,
    (_, end: string, name: string, written: string, empty: string, at: number) => {
      if (end !== '') return `</${name}>`
      const [local = '', prefix = ''] = name.split(':').toReversed()
      const namespace = local === 'InclusiveNamespaces' ? exclusive : saml.signature
      const isDeclared = at > 0 && prefix === own && namespace === saml.signature
      const declared = isDeclared ? '' : ` xmlns${prefix === '' ? '' : `:${prefix}`}="${namespace}"`
      const attributes = [...written.matchAll(attribute)]
        .map(
          ([, key = '', double, single]) =>
            [key, (double ?? single ?? '').replaceAll('"', '&quot;')] as const,
        )
        .filter(([key]) => !key.startsWith('xmlns'))
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, value]) => ` ${key}="${value}"`)
      return `<${name}${declared}${attributes.join('')}>${empty === '' ? '' : `</${name}>`}`
    },
  )
  // Java breaks lines of base64 by it.
  return text.replaceAll('&#13;', '&#xD;')
}
