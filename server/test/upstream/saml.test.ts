import { sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { samlAssertion } from '../../dist/upstream/saml.js'
import { enveloped, exclusive, responseXml, type Said, signed } from '../harness/saml-provider.ts'
import {
  upstream,
  acs,
  answer,
  attacker,
  documents,
  now,
  ownEntity,
  persistent,
  provider,
  said,
  taken,
} from './saml-support.ts'

const minute = 60_000
const sha512 = {
  signature: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  digest: 'http://www.w3.org/2001/04/xmlenc#sha512',
}

/** Signed as a program does that indents, over the canonical form as it stands here. */
function pretty(): string {
  const xml = answer({}, { prefix: 'ds' })
  const digest = /<ds:DigestValue>(.*?)</.exec(xml)?.[1]
  const info = (ds: string, quote: string, keeps: string, empty: (name: string) => string) =>
    `<ds:SignedInfo${ds}>
  <ds:CanonicalizationMethod Algorithm=${quote}${exclusive}${quote}${empty('CanonicalizationMethod')}
  <ds:SignatureMethod Algorithm=${quote}http://www.w3.org/2001/04/xmldsig-more#rsa-sha256${quote}${empty('SignatureMethod')}
  <ds:Reference URI=${quote}#_assertion${quote}><ds:Transforms>
    <ds:Transform Algorithm=${quote}${enveloped}${quote}${empty('Transform')}<ds:Transform Algorithm=${quote}${exclusive}${quote}>${keeps}</ds:Transform>
  </ds:Transforms><ds:DigestMethod Algorithm=${quote}http://www.w3.org/2001/04/xmlenc#sha256${quote}${empty('DigestMethod')}<ds:DigestValue>${digest}</ds:DigestValue></ds:Reference>
</ds:SignedInfo>`
  const canonical = info(
    ' xmlns:ds="http://www.w3.org/2000/09/xmldsig#"',
    '"',
    `<ec:InclusiveNamespaces xmlns:ec="${exclusive}" PrefixList="none"></ec:InclusiveNamespaces>`,
    (name) => `></ds:${name}>`,
  )
  const value = sign('sha256', Buffer.from(canonical), provider.key).toString('base64')
  return xml
    .replace(
      /<ds:SignedInfo.*<\/ds:SignedInfo>/s,
      info('', "'", `<ec:InclusiveNamespaces PrefixList='none' xmlns:ec="${exclusive}"/>`, () => ' />'),
    )
    .replace(/<ds:SignatureValue>.*?</s, `<ds:SignatureValue>\n${value.replaceAll(/.{76}/g, '$&\n')}\n<`)
}

describe('what is taken', () => {
  it.each([
    ['a signed assertion', answer()],
    ['a signed response', signed(responseXml(said), 'Response', provider.key)],
    ['both signed', signed(answer(), 'Response', provider.key)],
    ['SHA-512', answer({}, sha512)],
    ['a prefix', answer({}, { prefix: 'ds' })],
    [
      'both signed by a prefix',
      signed(answer({}, { prefix: 'ds' }), 'Response', provider.key, { prefix: 'sig', ...sha512 }),
    ],
    ['a SignedInfo with blanks, other quotes and prefixes to keep', pretty()],
    ['a certificate in KeyInfo, which counts nothing', answer({}, { keyInfo: attacker.pem })],
    [
      'a clock 59 seconds off',
      answer({ notBefore: now + 59_000, notOnOrAfter: now - 59_000, conditionsEnd: now - 59_000 }),
    ],
    ['an XML declaration and Windows line ends', `<?xml version="1.0" encoding="UTF-8"?>\r\n${answer()}\r\n`],
  ])('%s', async (_, xml) => {
    const { assertion, inResponseTo, id, expiresAt } = await taken(xml)
    expect(assertion).toMatchObject({
      subject: 'u-4711',
      groups: ['staff', 'admins'],
      fields: { email: 'ada@example.org' },
    })
    expect({ inResponseTo, id }).toEqual({ inResponseTo: '_request', id: '_assertion' })
    expect(expiresAt).toBeGreaterThan(now)
  })

  it('the session, the time and the context of the sign-in', async () => {
    const { assertion } = await taken(answer(), { logout: 'both' })
    expect(assertion).toMatchObject({
      auth_time: now - 5000,
      sid: '_session',
      contexts: [said.context],
      amr: [],
    })
    expect(JSON.parse(assertion?.id_token ?? '')).toEqual({
      text: 'u-4711',
      attributes: { Format: persistent },
    })
  })

  it('fields and groups by the usual names, and by those of the upstream', async () => {
    const entra = {
      'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress': ['ada@example.org'],
      'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname': ['Ada &amp; Co'],
      'urn:oid:2.5.4.4': ['Lovelace'],
      department: ['R1', 'R2'],
    }
    const { assertion } = await taken(answer({ attributes: entra }), { attributes: { groups: 'department' } })
    expect(assertion?.fields).toEqual({
      email: 'ada@example.org',
      given_name: 'Ada & Co',
      family_name: 'Lovelace',
    })
    expect(assertion?.groups).toEqual(['R1', 'R2'])
  })

  it('groups that are too many to tell as unknown, and those of nobody as none', async () => {
    const many = {
      groups: ['a'],
      'http://schemas.microsoft.com/claims/groups.link': ['https://graph.example'],
    }
    expect((await taken(answer({ attributes: many }))).assertion?.groups).toBe('unknown')
    for (const attributes of [{}, { groups: [] }])
      expect((await taken(answer({ attributes }))).assertion?.groups).toEqual([])
  })

  it('an attribute as the subject, whatever the NameID is', async () => {
    const xml = answer({ format: null, attributes: { employeeNumber: ['42'] } })
    expect((await taken(xml, { subject: 'employeeNumber' })).assertion?.subject).toBe('42')
  })

  it('nothing of an answer that nobody asked for', async () => {
    const found = await taken(answer({ inResponseTo: null, responseInResponseTo: null }))
    expect(found).toMatchObject({ assertion: undefined, inResponseTo: undefined, id: '_assertion' })
  })
})

/** Signed by the provider, and wrong. */
const wrong: [string, Partial<Said>, string][] = [
  ['a foreign Recipient', { recipient: 'https://other.example/acs' }, 'audience'],
  ['no Recipient', { recipient: null }, 'audience'],
  ['a foreign Audience', { audience: 'https://other.example' }, 'audience'],
  ['no Audience', { audience: null }, 'audience'],
  ['a foreign Destination', { destination: 'https://other.example/acs' }, 'audience'],
  ['another issuer', { issuer: 'https://idp.example/saml/' }, 'issuer'],
  ['over', { notOnOrAfter: now - minute }, 'expired'],
  ['conditions that are over', { conditionsEnd: now - minute }, 'expired'],
  ['the future', { notBefore: now + minute + 1 }, 'expired'],
  ['a sign-in in the future', { authnInstant: now + minute + 1 }, 'response'],
  ['a holder of a key', { method: 'urn:oasis:names:tc:SAML:2.0:cm:holder-of-key' }, 'response'],
  ['another request in the response', { responseInResponseTo: '_other' }, 'response'],
  ['an own wrapper around what nobody asked for', { inResponseTo: null }, 'response'],
  ['no such name', { status: 'Responder' }, 'denied'],
  ['a transient NameID', { format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' }, 'no_subject'],
  [
    'an address as NameID',
    { format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress' },
    'no_subject',
  ],
  [
    'an unspecified NameID',
    { format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified' },
    'no_subject',
  ],
  ['a NameID without format', { format: null }, 'no_subject'],
  ['an empty NameID', { nameId: ' ' }, 'no_subject'],
  ['an element in the NameID', { nameId: 'u<saml:b/>-4711' }, 'no_subject'],
]

describe('what the provider signed and is refused', () => {
  it.each(wrong)('%s', async (_, changed, code) => {
    await expect(taken(answer(changed))).rejects.toMatchObject({ code })
  })

  it('a subject that is an attribute of two values, or none', async () => {
    for (const attributes of [{ employeeNumber: ['1', '2'] }, {}])
      await expect(taken(answer({ attributes }), { subject: 'employeeNumber' })).rejects.toMatchObject({
        code: 'no_subject',
      })
  })

  it('a condition that is not known', async () => {
    const xml = signed(
      responseXml(said).replace('</saml:Conditions>', '<saml:Condition/></saml:Conditions>'),
      'Assertion',
      provider.key,
    )
    await expect(taken(xml)).rejects.toMatchObject({ code: 'response' })
  })

  it('says what to set at the provider', async () => {
    await expect(taken(answer({ format: null }))).rejects.toThrow(
      'Set the format of the NameID at the provider to urn:oasis',
    )
  })
})

const hmac = 'http://www.w3.org/2000/09/xmldsig#hmac-sha1'
const good = answer()
const half = (xml: string) => xml.replace('u-4711', 'admin')

/** Not what the provider signed, or signed in a way that is no proof. */
const forged: [string, string, string][] = [
  ['no signature', responseXml(said), 'signature'],
  ['a key of the attacker', answer({}, {}, attacker.key), 'signature'],
  [
    'a key of the attacker with its certificate',
    answer({}, { keyInfo: attacker.pem }, attacker.key),
    'signature',
  ],
  ['another name than was signed', half(good), 'signature'],
  [
    'a response that is signed, with another name',
    half(signed(responseXml(said), 'Response', provider.key)),
    'signature',
  ],
  [
    'a good response around an assertion of the attacker',
    signed(answer({}, {}, attacker.key), 'Response', provider.key),
    'signature',
  ],
  ['a good assertion in a response of the attacker', signed(good, 'Response', attacker.key), 'signature'],
  ['SHA-1', answer({}, { signature: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }), 'signature'],
  ['a digest of SHA-1', answer({}, { digest: 'http://www.w3.org/2000/09/xmldsig#sha1' }), 'signature'],
  [
    'an HMAC with the certificate as its key',
    answer({}, { signature: hmac, hmac: provider.pem }),
    'signature',
  ],
  [
    'an HMAC with the public key as its key',
    answer({}, { signature: hmac, hmac: provider.publicKey }),
    'signature',
  ],
  [
    'inclusive canonicalisation',
    answer({}, { canonicalization: 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315' }),
    'signature',
  ],
  [
    'canonicalisation with comments',
    answer({}, { transforms: [enveloped, `${exclusive}WithComments`] }),
    'signature',
  ],
  ['one transform', answer({}, { transforms: [exclusive] }), 'response'],
  ['the same transform twice', answer({}, { transforms: [exclusive, exclusive] }), 'response'],
  ['XSLT', good.replace(enveloped, 'http://www.w3.org/TR/1999/REC-xslt-19991116'), 'signature'],
  ['XPath', good.replace(enveloped, 'http://www.w3.org/TR/1999/REC-xpath-19991116'), 'signature'],
  [
    'an XPath in a transform',
    good.replace(
      `<Transform Algorithm="${enveloped}"/>`,
      `<Transform Algorithm="${enveloped}"><XPath>//*</XPath></Transform>`,
    ),
    'response',
  ],
  [
    'a length of an HMAC',
    good.replace('rsa-sha256"/>', 'rsa-sha256"><HMACOutputLength>1</HMACOutputLength></SignatureMethod>'),
    'response',
  ],
  ['a signature of the whole document', good.replace('URI="#_assertion"', 'URI=""'), 'response'],
  ['a signature of something else', good.replace('URI="#_assertion"', 'URI="#_response"'), 'response'],
  ['an XPointer', good.replace('URI="#_assertion"', 'URI="#xpointer(/)"'), 'response'],
  ['signed conditions', signed(responseXml(said), 'Conditions', provider.key), 'response'],
  [
    'a SignedInfo in Extensions',
    good.replace('<samlp:Status>', '<samlp:Extensions><SignedInfo /></samlp:Extensions><samlp:Status>'),
    'response',
  ],
  ['two signatures', answer().replace(/<Signature.*<\/Signature>/s, '$&$&'), 'response'],
  ['two references', good.replace(/<Reference.*<\/Reference>/s, '$&$&'), 'response'],
  ['another SignedInfo', good.replace(/<SignedInfo.*<\/SignedInfo>/s, '$&$&'), 'response'],
  [
    'a second digest in KeyInfo',
    good.replace('</SignatureValue>', '</SignatureValue><KeyInfo><DigestValue>AAAA</DigestValue></KeyInfo>'),
    'response',
  ],
  ['an encrypted assertion', responseXml(said, '<saml:EncryptedAssertion/>'), 'response'],
  [
    'an encrypted assertion beside a good one',
    good.replace('<samlp:Status>', '<saml:EncryptedAssertion/><samlp:Status>'),
    'response',
  ],
  ['a comment in the name', half(good).replace('admin', 'u-<!-- -->4711'), 'response'],
  ['a comment that was signed', answer({ nameId: 'u-4711<!-- -->.evil' }), 'response'],
  ['a comment at the end', `${good}<!-- -->`, 'response'],
  ['a processing instruction', good.replace('u-4711', 'u-<?x?>4711'), 'response'],
  ['a CDATA section', good.replace('u-4711', '<![CDATA[u-4711]]>'), 'response'],
  ['a DOCTYPE', `<!DOCTYPE Response>${good}`, 'response'],
  [
    'an external entity',
    `<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>${good.replace('u-4711', '&x;')}`,
    'response',
  ],
  [
    'a billion laughs',
    `<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>${good.replace('u-4711', '&b;')}`,
    'response',
  ],
  ['an entity that nobody declared', good.replace('u-4711', '&x;'), 'response'],
  ['an ID twice', good.replace('<samlp:Status>', '<samlp:Status Id="_assertion">'), 'response'],
  [
    'an attribute that is left out of canonicalisation',
    good.replace('<saml:NameID ', '<saml:NameID xmlnsx="1" '),
    'response',
  ],
  [
    'a namespace that is not declared',
    good.replace('<samlp:Status>', '<nobody:x/><samlp:Status>'),
    'response',
  ],
  [
    'an assertion of another namespace',
    good.replaceAll('SAML:2.0:assertion', 'SAML:1.0:assertion'),
    'response',
  ],
  ['two roots', `${good}${good}`, 'response'],
  [
    'more than 256 KiB',
    good.replace('<samlp:Status>', `<samlp:Status>${' '.repeat(256 * 1024)}`),
    'response',
  ],
  [
    'deep nesting',
    good.replace(
      '<samlp:Status>',
      `<samlp:Extensions>${'<a>'.repeat(70)}${'</a>'.repeat(70)}</samlp:Extensions><samlp:Status>`,
    ),
    'response',
  ],
  [
    'an assertion that is written in a text',
    good.replace(
      '<samlp:Status>',
      '<samlp:Extensions>&lt;saml:Assertion ID="x"&gt;</samlp:Extensions><samlp:Status>',
    ),
    'response',
  ],
  ['UTF-16', `<?xml version="1.0" encoding="UTF-16"?>${good}`, 'response'],
]

describe('what is forged', () => {
  it.each(forged)('%s', async (_, xml, code) => {
    await expect(taken(xml)).rejects.toMatchObject({ code })
  })

  it('what is no base64, or no UTF-8', async () => {
    for (const response of ['%3C', Buffer.from([0x3c, 0xff, 0x3e]).toString('base64'), ''])
      await expect(
        samlAssertion(upstream, documents, { response, acs, ownEntity }, now),
      ).rejects.toMatchObject({ code: 'response' })
  })

  it('a large one that nobody signed, at no cost', async () => {
    const xml = answer({}, {}, attacker.key).replace(
      '<samlp:Status>',
      `<x>${'<a/>'.repeat(900)}</x><samlp:Status>`,
    )
    await taken(xml).catch(() => undefined)
    const began = performance.now()
    for (let time = 0; time < 10; time++)
      await expect(taken(xml)).rejects.toMatchObject({ code: 'signature' })
    expect(performance.now() - began).toBeLessThan(1000)
  })

  it('what makes parsers work for long', async () => {
    const began = performance.now()
    const parts = [
      '<a/>'.repeat(60_000),
      '&lt; a'.repeat(40_000),
      `<a ${'x '.repeat(100_000)}>`,
      '<'.repeat(200_000),
    ]
    for (const part of parts) {
      const xml = `<r xmlns="x">${part}</r>`
      await expect(taken(xml)).rejects.toMatchObject({ code: 'response' })
    }
    expect(performance.now() - began).toBeLessThan(5000)
  })
})

describe('signatures that are wrapped', () => {
  const signature = /<Signature.*<\/Signature>/s.exec(good)?.[0] ?? ''
  const assertion = /<saml:Assertion.*<\/saml:Assertion>/s.exec(good)?.[0] ?? ''
  const bare = assertion.replace(signature, '')
  const evil = half(bare).replace('ID="_assertion"', 'ID="_evil"')
  const inside = (xml: string, part: string) => xml.replace('</saml:Assertion>', `${part}</saml:Assertion>`)
  const around = (part: string) => good.replace(assertion, part)
  const whole = signed(responseXml(said), 'Response', provider.key)
  const wholeSignature = /<Signature.*<\/Signature>/s.exec(whole)?.[0] ?? ''
  const original = whole.replace(wholeSignature, '')
  const evilResponse = half(original)
    .replace('ID="_response"', 'ID="_evil"')
    .replace('ID="_assertion"', 'ID="_evil2"')
  const outside = (part: string) => evilResponse.replace('</samlp:Response>', `${part}</samlp:Response>`)
  const object = (part: string) => signature.replace('</Signature>', `<Object>${part}</Object></Signature>`)

  it.each([
    ['XSW1', outside(wholeSignature.replace('</Signature>', `${original}</Signature>`))],
    ['XSW2', outside(`${original}${wholeSignature}`)],
    ['XSW3', around(`${evil}${assertion}`)],
    ['XSW4', around(inside(evil, assertion))],
    ['XSW5', around(`${inside(evil, signature)}${bare}`)],
    ['XSW6', around(inside(evil, signature.replace('</Signature>', `${bare}</Signature>`)))],
    ['XSW7', around(`<samlp:Extensions>${evil}</samlp:Extensions>${assertion}`)],
    ['XSW8', around(inside(evil, object(bare)))],
    [
      'the good one in an Object of the evil one, which bears its ID',
      around(inside(half(bare), object(bare))),
    ],
    ['the good one in Extensions', around(`<samlp:Extensions>${assertion}</samlp:Extensions>${evil}`)],
    ['the good one in an Advice', around(inside(evil, `<saml:Advice>${assertion}</saml:Advice>`))],
    [
      'the good one as another namespace',
      around(`${evil}${assertion.replaceAll('saml:Assertion', 'Assertion')}`),
    ],
    ['only the signature moved', around(inside(evil, signature))],
    ['the signature beside the assertion', around(`${bare}${signature}`)],
  ])('%s', async (_, xml) => {
    expect(xml).toContain('SignatureValue')
    await expect(taken(xml)).rejects.toMatchObject({ code: 'response' })
  })

  it('a replay has the id and the request of the first time, by which the caller knows it', async () => {
    const again = good.replace('ID="_response"', 'ID="_another"')
    expect(await taken(again)).toMatchObject({ id: '_assertion', inResponseTo: '_request' })
    await expect(
      taken(again.replaceAll('InResponseTo="_request"', 'InResponseTo="_mine"')),
    ).rejects.toMatchObject({ code: 'signature' })
  })

  it('two certificates, of which the second signs; none of another provider', async () => {
    const response = Buffer.from(answer({}, {}, attacker.key)).toString('base64')
    const both = { ...documents, certificates: [provider.pem, attacker.pem] }
    expect((await samlAssertion(upstream, both, { response, acs, ownEntity }, now)).assertion?.subject).toBe(
      'u-4711',
    )
  })
})
