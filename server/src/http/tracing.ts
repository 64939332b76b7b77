import {
  context,
  propagation,
  ProxyTracerProvider,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Traffic } from './traffic.ts'

/**
 * A span for each request, when an OpenTelemetry SDK is loaded (`node --import ./sdk.mjs …`); without one the
 * interface does nothing. Attributes follow the semantic conventions for HTTP; the query is never among them.
 */
export function traces(app: FastifyInstance, traffic: Traffic): void {
  const provider = trace.getTracerProvider()
  // No SDK was loaded: then no request makes a span.
  if (provider instanceof ProxyTracerProvider && provider.getDelegateTracer('tessera') === undefined) return
  const tracer = trace.getTracer('tessera')
  const spans = new WeakMap<FastifyRequest, Span>()
  app.addHook('onRequest', (request, _reply, done) => {
    const parent = propagation.extract(context.active(), request.headers)
    const route = request.routeOptions.url ?? 'unmatched'
    const attributes = { 'http.request.method': request.method, 'http.route': route }
    const span = tracer.startSpan(`${request.method} ${route}`, { kind: SpanKind.SERVER, attributes }, parent)
    spans.set(request, span)
    context.with(trace.setSpan(parent, span), done)
  })
  traffic.whenEnded(({ request }, status) => {
    const span = spans.get(request)
    span?.setAttribute('http.response.status_code', status)
    if (status >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
    span?.end()
  })
}
