import { createVerify, sign, X509Certificate } from 'node:crypto'
import { createServer } from 'node:http'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { samlAddress } from '../../dist/upstream/saml.js'
import { samlLogoutAddress, samlLogoutAnswer, samlLogoutRequest } from '../../dist/upstream/saml-logout.js'
import {
  certificateOf,
  readSamlMetadata,
  refreshSamlDocuments,
  samlMetadata,
} from '../../dist/upstream/saml-metadata.js'
import { providerMetadata } from '../harness/saml-provider.ts'
import {
  acs,
  attacker,
  documents,
  now,
  ownEntity,
  persistent,
  provider,
  slo,
  upstream,
} from './saml-support.ts'

const rsaSha256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'
const certificate = async () => new X509Certificate(Buffer.from(await certificateOf(upstream), 'base64'))

/** Checks the signature as the provider does, and yields the message. */
async function sentTo(address: string): Promise<string> {
  const [signedPart = '', signature = ''] = (address.split('?')[1] ?? '').split('&Signature=')
  const right = createVerify('sha256')
    .update(signedPart)
    .verify((await certificate()).publicKey, decodeURIComponent(signature), 'base64')
  expect(right).toBe(true)
  const { searchParams } = new URL(address)
  const message = searchParams.get('SAMLRequest') ?? searchParams.get('SAMLResponse') ?? ''
  return inflateRawSync(Buffer.from(message, 'base64')).toString()
}

describe('what we send', () => {
  it('is an AuthnRequest, signed', async () => {
    const asked = { id: '_request', acs, ownEntity, relayState: 'a&b', forceAuthn: true }
    const address = await samlAddress(upstream, documents, asked, now)
    const request = await sentTo(address)
    expect(new URL(address).searchParams.get('RelayState')).toBe('a&b')
    expect(request).toContain(`Format="${persistent}"`)
    expect(request).toContain(
      `ID="_request" Version="2.0" IssueInstant="2026-11-26T12:00:00.000Z" Destination="${provider.sso}"`,
    )
    expect(request).toContain(`AssertionConsumerServiceURL="${acs}" ForceAuthn="true"`)
  })

  it('asks for no NameID where an attribute is the subject', async () => {
    const asked = { id: '_request', acs, ownEntity, relayState: 'x', forceAuthn: false }
    const request = await sentTo(
      await samlAddress({ ...upstream, subject: 'employeeNumber' }, documents, asked, now),
    )
    expect(request).not.toMatch(/NameIDPolicy|ForceAuthn/)
  })

  it('is metadata with the same certificate each time', async () => {
    const own = { ownEntity, acs, slo }
    const metadata = await samlMetadata(upstream, own)
    expect(await samlMetadata(upstream, own)).toBe(metadata)
    expect(metadata).toContain(await certificateOf(upstream))
    const { subject, validFrom, publicKey } = await certificate()
    expect({ subject, from: Date.parse(validFrom) }).toEqual({ subject: `CN=${upstream.uuid}`, from: now })
    expect((await certificate()).verify(publicKey)).toBe(true)
  })

  it('is a LogoutRequest with the name as it was told', async () => {
    const nameId = JSON.stringify({ text: 'u-4711', attributes: { Format: persistent } })
    const ends = { id: '_end', ownEntity, nameId, sid: '_session', relayState: 'x' }
    const request = await sentTo((await samlLogoutAddress(upstream, documents, ends, now)) ?? '')
    expect(request).toContain(
      `<saml:NameID Format="${persistent}">u-4711</saml:NameID><samlp:SessionIndex>_session<`,
    )
    const { slo: _, ...without } = documents
    expect(await samlLogoutAddress(upstream, without, ends, now)).toBeUndefined()
  })
})

describe('metadata of a provider', () => {
  const xml = providerMetadata(provider)

  it('says where requests go and what signs', () => {
    expect(readSamlMetadata(xml, provider.entityID, now)).toEqual(documents)
    const many = `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">${providerMetadata({ ...provider, entityID: 'https://other.example' })}${xml}</md:EntitiesDescriptor>`
    expect(readSamlMetadata(many, provider.entityID, now)).toEqual(documents)
  })

  it.each([
    ['a DOCTYPE', `<!DOCTYPE x>${xml}`, 'has a DTD'],
    [
      'another entityID',
      xml.replace('/saml"', '/other"'),
      'is not of https://idp.example/saml, but of https://idp.example/other',
    ],
    [
      'the metadata of a service',
      xml.replaceAll('IDPSSODescriptor', 'SPSSODescriptor'),
      'it is the metadata of a service',
    ],
    ['a page', '<html></html>', 'is no SAML 2.0 metadata'],
    ['a broken page', '<html><br></html>', 'not closed'],
    ['no certificate', providerMetadata(provider, { certificates: [] }), 'has no certificate for signing'],
    ['a broken certificate', providerMetadata(provider, { certificates: ['AAAA'] }), 'can not be read'],
    [
      'one for encryption alone',
      xml.replace('use="signing"', 'use="encryption"'),
      'has no certificate for signing',
    ],
    ['http', xml.replaceAll('https://idp.example/sso', 'http://idp.example/sso'), 'no https address'],
    [
      'a script as address',
      xml.replaceAll('https://idp.example/sso', 'javascript:alert(1)'),
      'no https address',
    ],
    [
      'no redirect binding',
      xml.replaceAll('bindings:HTTP-Redirect', 'bindings:HTTP-Artifact'),
      'by HTTP-Redirect',
    ],
    ['what is over', xml.replace('entityID', 'validUntil="2026-11-25T00:00:00Z" entityID'), 'is over'],
  ])('is refused: %s', (_, changed, message) => {
    expect(() => readSamlMetadata(changed, provider.entityID, now)).toThrow(message)
  })

  /** Reads the metadata anew, which a server answers so. */
  async function readAgain(body: string, before = documents, status = 200) {
    const server = createServer((_, response) => response.writeHead(status).end(body))
    await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens))
    const address = server.address()
    const metadata_url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`
    const reaching = { toPrivateAddresses: true, refusal: 'private' }
    return await refreshSamlDocuments(reaching, { ...upstream, metadata_url }, before, now).finally(() =>
      server.close(),
    )
  }

  it('read anew: certificates join, what is withdrawn leaves when another goes on', async () => {
    const read = async (certificates: string[], before = documents) =>
      await readAgain(providerMetadata(provider, { certificates }), before)
    const both = await read([attacker.certificate])
    expect(both.certificates).toEqual([provider.pem, attacker.pem])
    expect((await read([attacker.certificate], { ...documents, ...both })).certificates).toEqual([
      attacker.pem,
    ])
    expect((await read([provider.certificate, attacker.certificate])).certificates).toHaveLength(2)
  })

  it('read anew: another entityID, and no answer, change nothing', async () => {
    const other = providerMetadata({ ...provider, entityID: 'https://other.example' })
    await expect(readAgain(other)).rejects.toMatchObject({ code: 'documents' })
    await expect(readAgain(xml, documents, 404)).rejects.toMatchObject({ code: 'documents' })
    const reaching = { toPrivateAddresses: false, refusal: 'private' }
    const inside = { ...upstream, metadata_url: 'http://127.0.0.1/' }
    await expect(refreshSamlDocuments(reaching, inside, documents, now)).rejects.toMatchObject({
      code: 'unreachable',
    })
  })
})

const asLogout = {
  issuer: provider.entityID,
  destination: slo,
  issued: now,
  end: now + 60_000,
  format: persistent,
  key: provider.key,
  algorithm: rsaSha256,
  change: (query: string) => query,
}

/** A LogoutRequest by the redirect binding, signed as it is sent. */
function logoutUrl(changed: Partial<typeof asLogout> = {}): URL {
  const { issuer, destination, issued, end, format, key, algorithm, change } = { ...asLogout, ...changed }
  const time = (at: number) => new Date(at).toISOString()
  const xml = `<samlp:LogoutRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_logout" Version="2.0" IssueInstant="${time(issued)}" NotOnOrAfter="${time(end)}" Destination="${destination}"><saml:Issuer>${issuer}</saml:Issuer><saml:NameID Format="${format}">u-4711</saml:NameID><samlp:SessionIndex>_session</samlp:SessionIndex></samlp:LogoutRequest>`
  const message = encodeURIComponent(deflateRawSync(xml).toString('base64'))
  const query = `SAMLRequest=${message}&RelayState=a%20b&SigAlg=${encodeURIComponent(algorithm).toLowerCase()}`
  const signature = sign('sha256', Buffer.from(query), key).toString('base64')
  return new URL(`${slo}?${change(`${query}&Signature=${encodeURIComponent(signature)}`)}`)
}

describe('a LogoutRequest of the provider', () => {
  const told = async (url: URL, of = upstream) => await samlLogoutRequest(of, documents, url, { slo }, now)

  it('is taken with its values as they were sent', async () => {
    expect(await told(logoutUrl())).toEqual({
      id: '_logout',
      expiresAt: now + 120_000,
      nameId: 'u-4711',
      sessionIndexes: ['_session'],
    })
  })

  it('names no subject where an attribute is that, or where the NameID is not persistent', async () => {
    expect((await told(logoutUrl(), { ...upstream, subject: 'uid' })).nameId).toBeUndefined()
    expect((await told(logoutUrl({ format: 'urn:x' }))).nameId).toBeUndefined()
  })

  it('is answered by a signed LogoutResponse', async () => {
    const answer = { id: '_answer', inResponseTo: '_logout', ownEntity, relayState: 'a b' }
    const address = (await samlLogoutAnswer(upstream, documents, answer, now)) ?? ''
    expect(await sentTo(address)).toMatch(/^<samlp:LogoutResponse .*InResponseTo="_logout".*status:Success/)
    expect(new URL(address).searchParams.get('RelayState')).toBe('a b')
    const { slo: _, ...without } = documents
    expect(await samlLogoutAnswer(upstream, without, answer, now)).toBeUndefined()
  })

  it.each<[string, Partial<typeof asLogout>, string]>([
    ['a key of the attacker', { key: attacker.key }, 'signature'],
    ['no signature', { change: (query) => query.replace(/&Signature.*/, '') }, 'signature'],
    ['SHA-1', { algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }, 'signature'],
    ['another RelayState', { change: (query) => query.replace('a%20b', 'c') }, 'signature'],
    ['a second request', { change: (query) => `SAMLRequest=AAAA&${query}` }, 'response'],
    ['a second request, encoded', { change: (query) => `${query}&SAMLReques%74=AAAA` }, 'response'],
    ['another issuer', { issuer: 'https://other.example' }, 'issuer'],
    ['another Destination', { destination: acs }, 'audience'],
    ['an end that is over', { end: now - 60_000 }, 'expired'],
    ['the future', { issued: now + 61_000 }, 'expired'],
  ])('is refused: %s', async (_, changed, code) => {
    await expect(told(logoutUrl(changed))).rejects.toMatchObject({ code })
  })
})
