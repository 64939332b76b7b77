/**
 * A change whose answer was lost may have been made; sent once more, it would be refused as if somebody else had changed
 * the thing meanwhile. So the thing is read first: where it is as asked, that is the answer.
 */
type Send = (request: Request) => Promise<Response>

const lost = new Set<string>()

export const knowingLost =
  (send: Send): Send =>
  async (request) => {
    const { method, url } = request
    const isTried = new URL(url).searchParams.has('dry_run')
    if ((method !== 'PATCH' && method !== 'DELETE') || isTried) return await send(request)
    const body = await request.clone().text()
    const key = [method, url, request.headers.get('if-match'), body].join(' ')
    const wasLost = lost.has(key)
    const made = async () => (method === 'PATCH' ? await asAsked(send, url, body) : undefined)
    const before = wasLost ? await made() : undefined
    const answer = before ?? (await send(request).catch(orMade))
    lost.delete(key)
    // Removed by the one before: there is nothing to read that would tell.
    return wasLost && method === 'DELETE' && answer.status === 404
      ? new Response(null, { status: 204 })
      : answer

    async function orMade(error: unknown): Promise<Response> {
      lost.add(key)
      const after = await made().catch(() => undefined)
      if (after === undefined) throw error
      return after
    }
  }

/** The thing, if each of its fields is what was asked for. */
async function asAsked(send: Send, url: string, asked: string): Promise<Response | undefined> {
  const answer = await send(new Request(url))
  if (!answer.ok) return undefined
  const now = (await answer.clone().json()) as Record<string, unknown>
  const fields = Object.entries(JSON.parse(asked) as object)
  return fields.every(([name, value]) => JSON.stringify(now[name]) === JSON.stringify(value))
    ? answer
    : undefined
}
