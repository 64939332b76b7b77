import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Check } from '../forward/check.ts'
import { forwardAuthPath } from '../forward/routes.ts'
import { pathOfIssuer } from '../protocol/issuer-path.ts'
import { problemOf } from './strict.ts'
import type { Traffic } from './traffic.ts'

/**
 * Answers what passes of the questions of proxies before the framework sees them: they come with each request of an
 * application, and the way through the framework costs several times what the check does. All that does not pass goes
 * the whole way, where it is checked again, told of and answered.
 */
export function passAhead(
  app: FastifyInstance,
  check: Check,
  { issuer, traffic, stopping }: { issuer: string; traffic: Traffic; stopping: () => boolean },
): void {
  const { server } = app
  const path = `${pathOfIssuer(issuer)}${forwardAuthPath}`
  // Caddy adds the visitor's query, and Envoy the path.
  const isQuestion = ({ url = '' }: IncomingMessage) =>
    url.startsWith(path) && ['', '?', '/'].includes(url.slice(path.length, path.length + 1))
  const whole = server.listeners('request') as ((asked: IncomingMessage, answer: ServerResponse) => void)[]
  server.removeAllListeners('request')
  const goTheWholeWay = (asked: IncomingMessage, answer: ServerResponse) => {
    for (const listener of whole) listener.call(server, asked, answer)
  }
  server.on('request', (asked: IncomingMessage, answer: ServerResponse) => {
    if (!isQuestion(asked)) return goTheWholeWay(asked, answer)
    // A proxy may ask by the method of the request that it asks about, of which the framework knows some.
    asked.method = 'GET'
    if (stopping() || problemOf(asked) !== undefined) return goTheWholeWay(asked, answer)
    traffic.underWay++
    traffic.count++
    void check(asked)
      .then((checked) => {
        if (checked.outcome !== 'passes') return false
        answer.writeHead(200, { ...checked.headers, 'Content-Length': '0' }).end()
        return true
      })
      .catch(() => false)
      .then((isAnswered) => {
        traffic.underWay--
        if (!isAnswered) goTheWholeWay(asked, answer)
      })
  })
}
