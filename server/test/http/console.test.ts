/** GET /console: the files of the console, and how they are served. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTessera, type Tessera } from '../harness/harness.ts'

const built = new URL('../../dist/console/', import.meta.url).pathname

/** On one database: nothing of it is stored. */
describe('the console', () => {
  let tessera: Tessera
  let page: string
  beforeAll(async () => {
    tessera = await startTessera('sqlite', { content: 'empty' })
    page = await (await fetch(`${tessera.url}/console`)).text()
  })
  afterAll(() => tessera?.close())

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${tessera.url}${path}`, { headers, redirect: 'manual' })
  const scriptOf = () => /src="(\/console\/assets\/[\w-]+\.js)"/.exec(page)?.[1] ?? ''

  it('shows one page at all its addresses, which allows no script but its own files', async () => {
    for (const path of [
      '/console',
      '/console/',
      '/console/people/x/history?q=1',
      '/console/callback?code=x',
    ]) {
      const answer = await get(path)
      expect([path, answer.status, await answer.text()]).toEqual([path, 200, page])
      expect(answer.headers.get('content-security-policy')).toBe(
        `default-src 'none'; script-src ${tessera.url}/console/assets/; style-src 'self'; img-src 'self' data:; ` +
          "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
          "require-trusted-types-for 'script'; trusted-types 'none'",
      )
      expect(answer.headers.get('cache-control')).toBe('no-cache')
    }
    expect(page).not.toMatch(/<script(?![^>]* src="\/console\/assets\/)|<style|\son\w+=|https?:/)
  })

  it.each([
    ['br', 'br', brotliDecompressSync],
    ['gzip, deflate;q=0.5', 'gzip', gunzipSync],
    ['br;q=0, identity', null, undefined],
  ])('sends its files to who takes %s', async (accepted, encoding, decompress) => {
    const plain = await get(scriptOf(), { 'accept-encoding': 'identity' })
    const answer = await get(scriptOf(), { 'accept-encoding': accepted })
    expect(answer.headers.get('content-encoding')).toBe(encoding)
    expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(answer.headers.get('vary')).toContain('accept-encoding')
    // fetch decompresses by itself.
    expect(await answer.text()).toBe(await plain.text())
    if (decompress === undefined) return
    const compressed = decompress === gunzipSync ? '.gz' : '.br'
    expect(
      statSync(join(built, 'assets', `${scriptOf().split('/').pop()}${compressed}`)).size,
    ).toBeGreaterThan(0)
  })

  it.each([
    '/console/assets/nothing.js',
    '/console/assets/a/b.js',
    '/console/assets/..%2findex.html',
    '/console/assets/..%2fstamp',
    '/console/assets/index.html',
    '/console/assets/',
  ])('has nothing at %s', async (path) => {
    const answer = await get(path)
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'no-store'])
  })

  it('has no file beside a script that a browser could take for one', () => {
    const others = readdirSync(join(built, 'assets')).filter((name) => !/\.(js|css)(\.br|\.gz)?$/.test(name))
    expect(others).toEqual([])
  })

  it('is gone with its client where the setting says so', async () => {
    const without = await startTessera('sqlite', { content: 'empty', settings: { TESSERA_CONSOLE: 'false' } })
    try {
      expect((await fetch(`${without.url}/console`)).status).toBe(404)
      for (const [{ url }, known] of [
        [tessera, true],
        [without, false],
      ] as const) {
        const asked = new URLSearchParams({
          client_id: 'tessera:console',
          redirect_uri: `${url}/console/callback`,
        })
        // What is wrong with the request of a known client is told at its address.
        const { status } = await fetch(`${url}/oauth2/authorize?${asked}`, { redirect: 'manual' })
        expect(status).toBe(known ? 303 : 400)
      }
    } finally {
      await without.close()
    }
  })
})
