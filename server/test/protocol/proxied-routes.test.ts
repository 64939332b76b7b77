/** What a table of routes demands of a request, however its path is read. */
import { describe, expect, it } from 'vitest'
import { loosened, readRoutes, routesProblem } from '../../dist/protocol/proxied-routes.js'

const table = {
  '* /*': 'signed-in',
  'GET /assets/*': 'public',
  'GET /admin/*': 'wiki.admin.read',
  '* /admin/*': 'wiki.admin.write',
  'POST /*': 'wiki.pages.edit',
  'GET /:book/private': 'wiki.private.read',
  'HEAD /admin/health': 'public',
  'GET /Case': 'wiki.case.read',
}
const demanded = (target: string, method = 'GET', routes: Record<string, string> = table) =>
  readRoutes(routes)
    .find([method], target)
    ?.map(({ demand }) => demand)

describe('a request demands', () => {
  it.each<[string, string, string[]]>([
    ['GET', '/', ['signed-in']],
    ['GET', '/page', ['signed-in']],
    ['GET', '/page/', ['signed-in']],
    ['GET', '/assets/site.css?v=1', ['public']],
    ['GET', '/assets', ['public']],
    ['GET', '/assets/', ['public']],
    ['HEAD', '/assets/site.css', ['public']],
    ['GET', '/admin', ['wiki.admin.read']],
    ['GET', '/admin/users/1', ['wiki.admin.read']],
    ['PUT', '/admin/users/1', ['wiki.admin.write']],
    ['HEAD', '/admin/health', ['public']],
    ['POST', '/page', ['wiki.pages.edit']],
    // Neither line is within the other.
    ['POST', '/admin/users', ['wiki.admin.write', 'wiki.pages.edit']],
    ['GET', '/one/private', ['wiki.private.read']],
    ['GET', '/assets/private', ['wiki.private.read', 'public']],
    ['PROPFIND', '/page', ['signed-in']],
    ['GET', '/%61dmin/users', ['wiki.admin.read']],
    ['GET', '/ä', []],
    ['GET', '/%C3%A4', ['signed-in']],
  ])('%s %s', (method, target, demands) => {
    expect(demanded(target, method)?.sort()).toEqual(demands.length === 0 ? undefined : demands.sort())
  })

  describe('the strictest of its readings', () => {
    it.each([
      ['in another case', '/ADMIN/users'],
      ['with parameters', '/admin;a=b/users'],
      ['with parameters at its end', '/admin;'],
      ['with dots at the end of a segment', '/admin./users'],
      ['with encoded blanks at the end of a segment', '/admin%20/users'],
      ['encoded twice', '/%2561dmin/users'],
      ['encoded twice, in another case', '/%2541dmin;x/users'],
      ['with a segment of parameters alone', '/;/admin/users'],
      ['with an encoded semicolon', '/admin%3bx/users'],
      ['with an encoded dot at its end', '/admin%2e/users'],
    ])('%s', (_, target) => {
      expect(demanded(target)).toContain('wiki.admin.read')
    })

    it('public only where every reading is', () => {
      expect(demanded('/assets;/admin', 'GET')).toEqual(['signed-in', 'public'])
      expect(demanded('/Assets/x', 'GET')).toEqual(['signed-in', 'public'])
    })

    it('a line with capitals counts in lower case too', () => {
      expect(demanded('/case')).toContain('wiki.case.read')
    })
  })

  it('what fits no line as it is is refused, though another reading of it fits one', () => {
    const routes = { 'GET /open': 'public' }
    expect(demanded('/open', 'GET', routes)).toEqual(['public'])
    for (const target of ['/OPEN', '/open;x', '/open.', '/%256fpen', '/other', '/open/more'])
      expect(demanded(target, 'GET', routes), target).toBeUndefined()
    expect(demanded('/open', 'POST', routes)).toBeUndefined()
    expect(demanded('/open', 'OPTIONS', routes)).toBeUndefined()
  })
})

describe('a path that is refused', () => {
  const forbidden = [
    '/admin/../assets/x',
    '/assets/..',
    '/assets/..;/admin',
    '/assets/%2e%2e/admin',
    '/assets/%2E./admin',
    '/assets/%252e%252e/admin',
    '/assets/..%2fadmin',
    '/assets/.%00./admin',
    '/assets/x%00',
    '/assets/%2500',
    '/assets/x%0d%0aY',
    '/assets/./x',
    '/assets/%',
    '/assets/%zz',
    '/assets/%ff',
    '/assets/%c0%ae',
    '/assets/a b',
    '/assets/#x',
    '/assets\tx',
    'assets',
    '*',
    'http://wiki.example.com/assets/x',
    '',
    `/${'a'.repeat(5000)}`,
  ]
  it.each(forbidden)('%j, whatever the table', (target) => {
    expect(demanded(target)).toBeUndefined()
    expect(demanded(target, 'GET', { '* /*': 'public' })).toBeUndefined()
  })

  const doubtful = [
    '//assets/x',
    '/assets//admin',
    '/assets/%2fadmin',
    '/assets/%252Fadmin',
    '/assets\\admin',
    '/assets/%5cadmin',
    '/assets/x//',
  ]
  it.each(doubtful)('%j, unless one line stands for every request', (target) => {
    expect(demanded(target)).toBeUndefined()
    expect(demanded(target, 'GET', { 'GET /*': 'public' })).toBeUndefined()
    expect(demanded(target, 'GET', { '* /*': 'signed-in' })).toEqual(['signed-in'])
  })

  it.each(['/assets//../x', '/a%2f..%2fadmin', '/a\\..\\admin', '/a%252f..%252fadmin'])(
    '%j, also where one line stands for every request',
    (target) => {
      expect(demanded(target, 'GET', { '* /*': 'signed-in' })).toBeUndefined()
    },
  )
})

describe('a table', () => {
  it.each<[Record<string, string>, string]>([
    [{ '/page': 'public' }, 'no route'],
    [{ 'get /page': 'public' }, 'no route'],
    [{ 'BREW /page': 'public' }, 'no route'],
    [{ 'GET page': 'public' }, 'no route'],
    [{ 'GET /page more': 'public' }, 'no route'],
    [{ 'GET /page/': 'public' }, 'no route'],
    [{ 'GET /a//b': 'public' }, 'no route'],
    [{ 'GET /../b': 'public' }, 'no route'],
    [{ 'GET /a*': 'public' }, 'no route'],
    [{ 'GET /*/a': 'public' }, 'no route'],
    [{ 'GET /:a/:a': 'public' }, 'no route'],
    [{ 'GET /a': 'everybody' }, 'no permission'],
    [{ 'GET /a': 'iam.*' }, 'no permission'],
    [{ 'GET /:a': 'public', 'GET /:b': 'signed-in' }, 'same'],
    [{ 'GET /a': 'public', 'GET /A': 'signed-in' }, 'same'],
  ])('%j is refused', (routes, reason) => {
    expect(routesProblem(routes)?.reason).toContain(reason)
  })

  it('of more than 100 lines is refused', () => {
    const lines = Array.from({ length: 101 }, (_, at) => [`GET /page-${at}`, 'public'])
    expect(routesProblem(Object.fromEntries(lines))?.reason).toContain('100')
  })
})

describe('another table demands less', () => {
  const before = { '* /*': 'signed-in', 'GET /admin/*': 'wiki.admin.read' }
  it.each<[string, Record<string, string>, string[]]>([
    ['by a line that demands less', { ...before, '* /*': 'public' }, ['* /*']],
    ['by an exception', { ...before, 'GET /assets/*': 'public' }, ['GET /assets/*']],
    ['by a line that is gone', { '* /*': 'signed-in' }, ['GET /admin/*']],
    ['by another permission', { ...before, 'GET /admin/*': 'wiki.pages.read' }, ['GET /admin/*']],
    ['nowhere, where it demands more', { ...before, '* /*': 'wiki.pages.read' }, []],
    ['nowhere, where less is mapped', { 'GET /admin/*': 'wiki.admin.read' }, []],
    ['nowhere, where it is the same', before, []],
  ])('%s', (_, after, keys) => {
    expect(loosened(before, after).map(({ key }) => key)).toEqual(keys)
  })

  it('where nothing was let through before', () => {
    expect(loosened({}, { '* /*': 'signed-in' })).toEqual([{ key: '* /*', had: 'refused', has: 'signed-in' }])
  })
})
