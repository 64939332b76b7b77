/** An application for one person, at URL: each path yields JSON, or `{ to }`, `{ html }` or `{ js }`. */
import { createServer } from 'node:http'

export const { ISSUER, URL: own, CLIENT_ID, CLIENT_SECRET, AUDIENCE } = process.env

export function serve(paths) {
  createServer(async (request, response) => {
    const answer = (status, type, body) => response.writeHead(status, { 'content-type': type }).end(body)
    try {
      const path = paths[new URL(request.url, own).pathname] ?? (() => ({ nothing: 'here' }))
      const { to, html, js, ...json } = await path(request)
      if (to !== undefined) response.writeHead(302, { location: String(to) }).end()
      else if (html !== undefined) answer(200, 'text/html', html)
      else if (js !== undefined) answer(200, 'text/javascript', js)
      else answer(200, 'application/json', JSON.stringify(json))
    } catch (error) {
      console.error(error)
      answer(500, 'text/plain', String(error))
    }
  }).listen(Number(new URL(own).port), '127.0.0.1')
}
