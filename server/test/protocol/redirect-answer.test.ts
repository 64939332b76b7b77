import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withParameters } from '../../dist/protocol/redirect-uri.js'
import { anyText } from './any-text.ts'

describe('an answer at a redirect URI', () => {
  it.each([
    ['https://a.example/cb', 'https://a.example/cb?x=1'],
    ['https://a.example', 'https://a.example?x=1'],
    ['https://a.example/cb?', 'https://a.example/cb?x=1'],
    ['https://a.example/cb?t=1', 'https://a.example/cb?t=1&x=1'],
    ['https://a.example/cb?t=1&', 'https://a.example/cb?t=1&x=1'],
    ['https://a.example/cb?t=%20+%2B', 'https://a.example/cb?t=%20+%2B&x=1'],
    ['com.example.app:/cb', 'com.example.app:/cb?x=1'],
  ])('keeps %s as it is', (uri, answer) => {
    expect(withParameters(uri, { x: '1', left: undefined })).toBe(answer)
  })

  it('can be read again, whatever the values, and adds nothing else', () => {
    const uri = fc.constantFrom(
      'https://a.example/cb',
      'https://a.example/cb?tenant=1',
      'http://127.0.0.1:1/',
    )
    fc.assert(
      fc.property(uri, anyText(), anyText(), (base, state, code) => {
        const answer = withParameters(base, { code, state, error: undefined })
        const url = new URL(answer)
        expect(answer.startsWith(base)).toBe(true)
        expect(answer).toMatch(/^[\x21-\x7E]+$/)
        expect(url.searchParams.get('state')).toBe(state)
        expect(url.searchParams.get('code')).toBe(code)
        expect(url.searchParams.has('error')).toBe(false)
        expect([url.origin, url.pathname, url.hash]).toEqual([
          new URL(base).origin,
          new URL(base).pathname,
          '',
        ])
      }),
    )
  })

  it('is the URI itself when there is nothing to add', () => {
    expect(withParameters('https://a.example/cb', { state: undefined })).toBe('https://a.example/cb')
  })
})
