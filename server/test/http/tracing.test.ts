import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  type SpanOptions,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
} from '@opentelemetry/api'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { askAndCut } from './cut-off-support.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'
import { machine, token, Visitor } from '../harness/program.ts'

/** As much of an OpenTelemetry SDK as keeps the spans of this process. */
interface Kept {
  name: string
  kind: SpanOptions['kind']
  parent: SpanContext | undefined
  attributes: Attributes
  status: SpanStatusCode
  ended: boolean
}
const kept: Kept[] = []

class KeepingTracer implements Tracer {
  startSpan(
    name: string,
    { kind, attributes = {} }: SpanOptions = {},
    within: Context = context.active(),
  ): Span {
    const parent = trace.getSpanContext(within)
    const span: Kept = {
      name,
      kind,
      parent,
      attributes: { ...attributes },
      status: SpanStatusCode.UNSET,
      ended: false,
    }
    kept.push(span)
    const own = {
      traceId: parent?.traceId ?? '1'.repeat(32),
      spanId: '2'.repeat(16),
      traceFlags: TraceFlags.SAMPLED,
    }
    return Object.assign(trace.wrapSpanContext(own), {
      setAttribute(this: Span, key: string, value: string | number) {
        span.attributes[key] = value
        return this
      },
      setStatus(this: Span, { code }: { code: SpanStatusCode }) {
        span.status = code
        return this
      },
      end: () => {
        span.ended = true
      },
    })
  }

  startActiveSpan(): never {
    throw new Error('The service does not use it.')
  }
}

/** W3C Trace Context §3.2.2, as far as the test needs it. */
const traceparent = {
  inject: () => undefined,
  fields: () => ['traceparent'],
  extract(within: Context, carrier: unknown): Context {
    const { traceparent: sent } = carrier as { traceparent?: string }
    const [, traceId, spanId] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(sent ?? '') ?? []
    if (traceId === undefined || spanId === undefined) return within
    return trace.setSpanContext(within, { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true })
  },
}

onOneDatabase('with an OpenTelemetry SDK', (dialect) => {
  let tessera: Tessera
  beforeAll(async () => {
    trace.setGlobalTracerProvider({ getTracer: () => new KeepingTracer() })
    propagation.setGlobalPropagator(traceparent)
    tessera = await startTessera(dialect)
  })
  afterAll(async () => {
    await tessera.close()
    trace.disable()
    propagation.disable()
  })
  beforeEach(() => void kept.splice(0))
  /** A span ends a moment after the answer has arrived. */
  const spans = async () => {
    while (kept.some(({ ended }) => !ended)) await new Promise((resolve) => setTimeout(resolve, 5))
    return kept
  }

  it('each request is a span by its route, with its status', async () => {
    await token(tessera.url, { grant_type: 'client_credentials', ...machine })
    await token(tessera.url, { grant_type: 'password' })
    await fetch(`${tessera.url}/nowhere/at/all`)
    expect((await spans()).map(({ name, attributes, status }) => [name, attributes, status])).toEqual([
      ...[200, 400].map((code) => [
        'POST /oauth2/token',
        { 'http.request.method': 'POST', 'http.route': '/oauth2/token', 'http.response.status_code': code },
        SpanStatusCode.UNSET,
      ]),
      [
        'GET unmatched',
        { 'http.request.method': 'GET', 'http.route': 'unmatched', 'http.response.status_code': 404 },
        SpanStatusCode.UNSET,
      ],
    ])
  })

  it('each request whose connection was cut before it was answered is a span that ends too', async () => {
    const asked = await askAndCut(tessera.url)
    const statuses = (await spans()).map(({ attributes }) => attributes['http.response.status_code'])
    expect(statuses).toHaveLength(asked)
    expect(statuses).toContain(499)
    expect(statuses.filter((status) => status !== 200 && status !== 499)).toEqual([])
  })

  it('a request that says which trace it belongs to is part of it, and one that lies is not', async () => {
    const [traceId, spanId] = ['a'.repeat(32), 'b'.repeat(16)]
    const ask = (value: string) => fetch(`${tessera.url}/oauth2/jwks`, { headers: { traceparent: value } })
    await ask(`00-${traceId}-${spanId}-01`)
    await ask('00-nonsense')
    const [right, wrong] = await spans()
    expect(right?.parent).toMatchObject({ traceId, spanId })
    expect(wrong?.parent).toEqual(trace.getSpanContext(ROOT_CONTEXT))
  })

  it('no span holds a query, a code, a token or a person', async () => {
    const visitor = new Visitor(tessera.url)
    const code = await visitor.code()
    const { json } = await token(tessera.url, code)
    await fetch(`${tessera.url}/oauth2/userinfo`, {
      headers: { authorization: `Bearer ${String(json.access_token)}` },
    })
    const written = JSON.stringify(await spans())
    expect(kept.length).toBeGreaterThan(4)
    for (const secret of [
      code.code,
      code.code_verifier,
      json.access_token,
      json.refresh_token,
      'acme.example',
      'state',
    ])
      expect(written).not.toContain(String(secret))
    expect(written).not.toContain('?')
  })
})
