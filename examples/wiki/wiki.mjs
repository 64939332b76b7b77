/**
 * A wiki in one file, which signs nobody in: who it is stands in the headers that the proxy sets. What somebody may
 * do is decided before a request comes here, by the routes in access.yaml.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname } from 'node:path'
import { text } from 'node:stream/consumers'

const { PORT = '4051', PAGES = 'data/pages.json' } = process.env
const largest = 256 * 1024

/** By name: `{ text, by, version }`. */
const pages = new Map(Object.entries(read()))

function read() {
  try {
    return JSON.parse(readFileSync(PAGES, 'utf8'))
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
    return {
      Home: { text: 'Welcome. Every name in brackets is a page: [[Ideas]].', by: 'the wiki', version: 1 },
    }
  }
}

function save(name, page) {
  pages.set(name, page)
  mkdirSync(dirname(PAGES), { recursive: true })
  writeFileSync(`${PAGES}.new`, JSON.stringify(Object.fromEntries(pages), null, 2))
  renameSync(`${PAGES}.new`, PAGES)
}

/** Whom the proxy names. A header may be percent-encoded, and is empty where nothing is said. */
function visitorOf({ headers }) {
  const say = (name) => decodeURIComponent(headers[name] ?? '')
  return { name: say('remote-name') || say('remote-user'), groups: say('remote-groups').split(',') }
}

const escaped = (value) => value.replaceAll(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`)

const linked = (value) =>
  escaped(value)
    .replaceAll(
      /\[\[([\w -]{1,60})\]\]/g,
      (_, name) => `<a href="/pages/${encodeURIComponent(name)}">${name}</a>`,
    )
    .replaceAll('\n', '<br>')

const layout = (visitor, title, body) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<link rel="stylesheet" href="/style.css">
<header><a href="/">Wiki</a> <span>${escaped(visitor.name)} <a href="/.tessera/logout">Sign out</a></span></header>
<main><h1>${escaped(title)}</h1>${body}</main>
`

const style = `body { font: 1rem/1.5 system-ui; max-width: 44rem; margin: 0 auto; padding: 1rem }
header { display: flex; justify-content: space-between }
textarea { width: 100%; height: 16rem; font: inherit }`

const editor = (name, written, { version = 0 } = {}) => `
<form method="post" action="/pages/${encodeURIComponent(name)}">
<label>Text <textarea name="text" maxlength="100000">${escaped(written)}</textarea></label>
<input type="hidden" name="version" value="${version}">
<p><button>Save</button> <a href="/pages/${encodeURIComponent(name)}">Cancel</a></p>
</form>`

/** A button is a courtesy: whoever may not edit is refused at the address itself. */
function shown(visitor, name) {
  const page = pages.get(name)
  const edit = `<p><a href="/pages/${encodeURIComponent(name)}/edit">Edit</a></p>`
  const body = page
    ? `<p>${linked(page.text)}</p><p><small>By ${escaped(page.by)}</small></p>`
    : '<p>Nobody has written this page.</p>'
  return layout(visitor, name, body + (visitor.groups.includes('wiki-editor') ? edit : ''))
}

async function saved(request, visitor, name) {
  const form = new URLSearchParams(await text(request))
  const written = form.get('text') ?? ''
  const before = pages.get(name)
  if (Number(form.get('version')) !== (before?.version ?? 0))
    return {
      status: 409,
      html: layout(
        visitor,
        name,
        `<p>Somebody else has changed this page: “${escaped(before.text)}”</p>${editor(name, written, before)}`,
      ),
    }
  save(name, { text: written, by: visitor.name, version: (before?.version ?? 0) + 1 })
  return { status: 303, location: `/pages/${encodeURIComponent(name)}` }
}

async function answer(request) {
  const visitor = visitorOf(request)
  const [pathname] = request.url.split('?')
  if (pathname === '/style.css') return { status: 200, type: 'text/css', html: style }
  if (pathname === '/') {
    const list = [...pages.keys()].sort().map((name) => `<li>${linked(`[[${name}]]`)}`)
    return { status: 200, html: layout(visitor, 'All pages', `<ul>${list.join('')}</ul>`) }
  }
  const [, encoded, isEdit] = /^\/pages\/([^/]+)(\/edit)?$/.exec(pathname) ?? []
  const name = decodeURIComponent(encoded ?? '')
  if (!/^[\w -]{1,60}$/.test(name)) return { status: 404, html: layout(visitor, 'There is no such page', '') }
  if (request.method === 'POST' && !isEdit) {
    if (Number(request.headers['content-length'] ?? Infinity) > largest) return { status: 413 }
    return await saved(request, visitor, name)
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') return { status: 405 }
  if (isEdit)
    return {
      status: 200,
      html: layout(visitor, `Edit ${name}`, editor(name, pages.get(name)?.text ?? '', pages.get(name))),
    }
  return { status: pages.has(name) ? 200 : 404, html: shown(visitor, name) }
}

createServer(async (request, response) => {
  const failed = (error) => ({ status: error instanceof URIError ? 400 : 500 })
  const { status, html = '', type = 'text/html', location } = await answer(request).catch(failed)
  response.writeHead(status, {
    'Content-Type': `${type}; charset=utf-8`,
    'Content-Security-Policy': "default-src 'none'; style-src 'self'; form-action 'self'",
    'Cache-Control': 'no-store',
    ...(location && { Location: location }),
  })
  response.end(html)
}).listen(Number(PORT), '127.0.0.1')
