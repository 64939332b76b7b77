import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  isLoopbackHost,
  isRegisteredRedirectUri,
  redirectUriProblem,
} from '../../dist/protocol/redirect-uri.js'
import { anyText } from './any-text.ts'

describe('a redirect URI that is to be registered', () => {
  it.each([
    'https://app.example/callback',
    'https://app.example',
    'https://app.example:8443/a/b?tenant=1&x=%20',
    'https://xn--bcher-kva.example/cb',
    'http://localhost/cb',
    'http://localhost:4001/cb',
    'http://127.0.0.1:1/cb',
    'http://127.8.9.10/cb',
    'http://[::1]:4001/cb',
    'http://app.localhost:3000/cb',
    'http://a-1.b_2.localhost',
    `https://app.example/${'a'.repeat(1900)}`,
  ])('may be %s, for clients of both types', (uri) => {
    expect(redirectUriProblem(uri, 'web')).toBeUndefined()
    expect(redirectUriProblem(uri, 'native')).toBeUndefined()
  })

  it.each(['com.example.app:/callback', 'com.example.app://callback', 'com.example.app:cb?x=1'])(
    'may be %s for a native client alone',
    (uri) => {
      expect(redirectUriProblem(uri, 'native')).toBeUndefined()
      expect(redirectUriProblem(uri, 'web')).toMatch(/scheme/)
    },
  )

  it.each([
    ['', 'not an absolute URL'],
    ['/callback', 'not an absolute URL'],
    ['app.example/callback', 'not an absolute URL'],
    ['//app.example/callback', 'not an absolute URL'],
    ['https://', 'not an absolute URL'],
    ['http://app.example/cb', 'http'],
    ['http://localhost.evil.example/cb', 'http'],
    ['http://evil-localhost/cb', 'http'],
    ['http://localhost./cb', 'http'],
    ['http://app.localhost.evil.example/cb', 'http'],
    ['http://app.localhosts/cb', 'http'],
    ['http://.localhost/cb', 'http'],
    ['http://127.0.0.1.evil.example/cb', 'http'],
    ['http://0.0.0.0/cb', 'http'],
    ['http://[::]/cb', 'http'],
    ['https://app.example/cb#', 'fragment'],
    ['https://app.example/cb#a', 'fragment'],
    ['https://*.app.example/cb', 'wildcard'],
    ['https://app.example/*', 'wildcard'],
    ['https://user@app.example/cb', 'user name'],
    ['https://user:word@app.example/cb', 'user name'],
    ['https://@app.example/cb', 'user name'],
    ['https://:@app.example/cb', 'user name'],
    ['com.example.app://:word@callback', 'user name'],
    ['https://app.example/c b', 'percent-encoded'],
    ['https://app.example/cb\n', 'percent-encoded'],
    ['https://app.example\t/cb', 'percent-encoded'],
    ['https://app.example\\@evil.example/cb', 'percent-encoded'],
    ['https://app.example/ü', 'percent-encoded'],
    ['https://bücher.example/', 'percent-encoded'],
    [' https://app.example/cb', 'percent-encoded'],
    ['https:///app.example/cb', 'no host'],
    ['http:///localhost/cb', 'no host'],
    ['HTTPS://app.example/cb', 'must begin with https://'],
    ['https:app.example/cb', 'must begin with https://'],
    ['https:/app.example/cb', 'must begin with https://'],
    ['HTTP://localhost/cb', 'must begin with http://'],
    ['http:localhost/cb', 'must begin with http://'],
    ['javascript:alert(1)', 'scheme'],
    ['JaVaScRiPt:alert(1)', 'scheme'],
    ['javascript://app.example/%0aalert(1)', 'scheme'],
    ['data:text/html,x', 'scheme'],
    ['vbscript:x', 'scheme'],
    ['file:///etc/passwd', 'scheme'],
    ['blob:https://app.example/x', 'scheme'],
    ['about:blank', 'scheme'],
    ['ftp://app.example/', 'scheme'],
    ['wss://app.example/', 'scheme'],
    ['myapp:/callback', 'scheme'],
    [`https://app.example/${'a'.repeat(2000)}`, 'longer'],
  ])('may not be “%s”, for clients of either type', (uri, because) => {
    expect(redirectUriProblem(uri, 'web')).toContain(because)
    expect(redirectUriProblem(uri, 'native')).toContain(because)
  })

  it('is judged without throwing, and what is right is a URL that a browser takes as it is', () => {
    const start = fc.constantFrom(
      'https://',
      'http://',
      'https:',
      '',
      'com.example.app:',
      'http://localhost',
      'https://a.example',
    )
    fc.assert(
      fc.property(start, anyText(), fc.constantFrom('web', 'native'), (prefix, rest, type) => {
        const uri = prefix + rest
        if (redirectUriProblem(uri, type) !== undefined) return
        const url = new URL(uri)
        expect([url.hash, url.username, url.password]).toEqual(['', '', ''])
        if (type === 'web') {
          expect(url.protocol === 'https:' || isLoopbackHost(url.hostname)).toBe(true)
        }
        // It may stand in a Location header.
        expect(uri).toMatch(/^[\x21-\x7E]+$/)
      }),
      { numRuns: 500 },
    )
  })
})

describe('the redirect_uri of a request', () => {
  const registered = ['https://app.example/cb', 'http://127.0.0.1/native', 'http://[::1]:8000/native?a=b']

  it('is one of the registered, byte for byte', () => {
    for (const uri of registered) {
      expect(isRegisteredRedirectUri(uri, registered, 'web')).toBe(true)
      expect(isRegisteredRedirectUri(uri, registered, 'native')).toBe(true)
    }
  })

  it('is no other for a web client, however near', () => {
    const one = fc.constantFrom(...registered)
    fc.assert(
      fc.property(one, fc.nat(60), fc.string({ maxLength: 2 }), fc.nat(2), (uri, at, inserted, removed) => {
        const near = uri.slice(0, at) + inserted + uri.slice(at + removed)
        expect(isRegisteredRedirectUri(near, registered, 'web')).toBe(registered.includes(near))
      }),
      { numRuns: 500 },
    )
    fc.assert(
      fc.property(fc.webUrl(), (uri) => {
        expect(isRegisteredRedirectUri(uri, registered, 'web')).toBe(false)
        expect(isRegisteredRedirectUri(uri, registered, 'native')).toBe(false)
      }),
    )
  })

  it('may have any port on loopback for a native client', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 65_535 }), (port) => {
        expect(isRegisteredRedirectUri(`http://127.0.0.1:${port}/native`, registered, 'native')).toBe(true)
        expect(isRegisteredRedirectUri(`http://[::1]:${port}/native?a=b`, registered, 'native')).toBe(true)
        expect(isRegisteredRedirectUri(`http://127.0.0.1:${port}/native`, registered, 'web')).toBe(false)
        expect(isRegisteredRedirectUri(`https://app.example:${port}/cb`, registered, 'native')).toBe(false)
      }),
    )
  })

  it.each([
    'http://127.0.0.1:65536/native',
    'http://127.0.0.1:/native',
    'http://127.0.0.1:0/native',
    'http://127.0.0.1:080/native',
    'http://127.0.0.1:80:90/native',
    'http://127.0.0.1:4000/native/',
    'http://127.0.0.1:4000/Native',
    'http://127.0.0.1:4000/native?x=y',
    'http://127.0.0.1:4000/native#x',
    'http://127.0.0.1:4000@evil.example/native',
    'http://user@127.0.0.1:4000/native',
    'http://127.0.0.1.evil.example:4000/native',
    'http://127.0.0.2:4000/native',
    'http://localhost:4000/native',
    'https://127.0.0.1:4000/native',
    'HTTP://127.0.0.1:4000/native',
    'http://127.0.0.1:4000/native\n',
    'http://[::1]:4000/native',
  ])('is not %s for a native client', (uri) => {
    expect(isRegisteredRedirectUri(uri, registered, 'native')).toBe(false)
  })

  it('has a path where the registered one has, and none where it has none', () => {
    for (const [one, other] of [
      ['http://127.0.0.1:4000', 'http://127.0.0.1/'],
      ['http://127.0.0.1:4000/', 'http://127.0.0.1'],
    ] as const)
      expect(isRegisteredRedirectUri(one, [other], 'native')).toBe(false)
  })

  it('is never found among none', () => {
    expect(isRegisteredRedirectUri('', [], 'web')).toBe(false)
    expect(isRegisteredRedirectUri('undefined', [], 'native')).toBe(false)
  })
})
